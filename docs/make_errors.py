#!/usr/bin/env python3
"""Writes docs/errors.md, the table of all error codes, from ir/error_codes.h.

    python3 docs/make_errors.py            write it
    python3 docs/make_errors.py --check    fail where it is not what would be written
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUP = re.compile(r"^  // (.+)$")
CODE = re.compile(r"^  (\w+) = (\d+),\s*// (E\d{4}) (.+)$")

HEAD = """# Error codes

Written by `docs/make_errors.py` from [`ir/error_codes.h`](../ir/error_codes.h); a test fails where it is not
up to date. How a message looks is in the [README](../README.md#how-errors-look). In C++ a mistake in an
algorithm or schedule is a `UserError` with a `code()`; a bad buffer or a missing driver is a `RuntimeError`; the
C interface returns a status, and `sinter_last_error()` has the text.
"""


def page(header):
    """The page for the text of the header."""
    out = [HEAD]
    for line in header.splitlines():
        if group := GROUP.match(line):
            title = group.group(1)
            out.append(f"## {title[0].upper()}{title[1:]}\n\n| code | name | meaning |\n|---|---|---|")
        elif code := CODE.match(line):
            name, number, text, meaning = code.groups()
            if text != f"E{int(number):04d}":
                raise ValueError(f"{name} is {number}, and its comment says {text}")
            meaning = meaning.replace("|", "\\\\|")
            out.append(f"| {text} | `{name}` | {meaning} |")
    if len(out) < 3:
        raise ValueError("no error codes found")
    text = "\n".join(out) + "\n"
    return re.sub(r"\n(## )", r"\n\n\1", text).replace("\n\n\n", "\n\n")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = page((ROOT / "ir" / "error_codes.h").read_text(encoding="utf-8"))
    target = ROOT / "docs" / "errors.md"
    if sys.argv[1:]:
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            sys.exit("docs/errors.md is not up to date: run docs/make_errors.py")
    else:
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
