#!/usr/bin/env python3
"""docs/errors.md is what docs/make_errors.py makes of ir/error_codes.h, and every code is in it."""

import importlib.util
import pathlib
import re

import lint

HERE = pathlib.Path(__file__).resolve().parent


def load_maker():
    path = HERE.parent.parent / "docs" / "make_errors.py"
    spec = importlib.util.spec_from_file_location("make_errors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(root):
    header, page = root / "ir" / "error_codes.h", root / "docs" / "errors.md"
    if not header.is_file() or not page.is_file():
        return [f"{header} or {page}: not found"]
    source, written = header.read_text(encoding="utf-8"), page.read_text(encoding="utf-8")
    try:
        expected = load_maker().page(source)
    except ValueError as error:
        return [f"ir/error_codes.h: {error}"]
    problems = [] if written == expected else ["docs/errors.md is not up to date: run docs/make_errors.py"]
    # Lines that the maker does not understand would be missing from both.
    for name, number in re.findall(r"^\s*(\w+)\s*=\s*(\d+)\s*,", source, re.MULTILINE):
        if f"| E{int(number):04d} | `{name}` |" not in written:
            problems.append(f"docs/errors.md: {name} (E{int(number):04d}) is missing")
    return problems


HEADER = "enum class ErrorCode {\n  // proofs\n  Race = 302,  // E0302 two threads\n};\n"
GOOD = {"ir/error_codes.h": HEADER, "docs/errors.md": load_maker().page(HEADER)}
BAD = [
    ({"docs/errors.md": load_maker().page(HEADER).replace("two", "three")}, "not up to date"),
    ({"ir/error_codes.h": HEADER.replace("};", "  Run = 303,// E0303 x\n};")}, "Run (E0303) is missing"),
    ({"ir/error_codes.h": HEADER.replace("E0302", "E0303")}, "its comment says E0303"),
    ({"ir/error_codes.h": "nothing\n"}, "no error codes found"),
]

if __name__ == "__main__":
    lint.main(check, GOOD, BAD, "error page")
