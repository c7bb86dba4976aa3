#!/usr/bin/env python3
"""Every E-code of ir/error_codes.h has a test that names it, as "E0207" or as ErrorCode::Name.

A code whose test has to wait is listed, with the reason, in tests/lint/untested_error_codes.txt:
    E0306  nothing in the language can state such a claim yet
An entry for a code that is tested, or that does not exist, fails too, so that the list only shrinks
by being right.
"""

import re

import lint

ALLOW_FILE = "tests/lint/untested_error_codes.txt"
CODE = re.compile(r"^\s*(\w+)\s*=\s*(\d+)\s*,\s*(?://\s*(E\d{4})\b\s*(.*))?$", re.MULTILINE)
TEST_SUFFIXES = lint.CODE_SUFFIXES | {".ir", ".txt"}


def defined_codes(root, problems):
    """{"E0207": "CrossThreadRegister"}, checking that number and comment agree."""
    header = root / "ir" / "error_codes.h"
    if not header.is_file():
        problems.append("ir/error_codes.h: not found")
        return {}
    codes = {}
    for name, number, comment_code, meaning in CODE.findall(header.read_text(encoding="utf-8")):
        code = f"E{int(number):04d}"
        if code in codes:
            problems.append(f"ir/error_codes.h: {code} is both {codes[code]} and {name}")
        if comment_code != code or not meaning.strip():
            problems.append(f"ir/error_codes.h: {name} needs a comment '// {code} meaning'")
        codes[code] = name
    if not codes:
        problems.append("ir/error_codes.h: no codes found")
    return codes


def allowed_codes(root, problems):
    path = root / ALLOW_FILE
    allowed = set()
    if not path.is_file():
        return allowed
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        code, _, reason = line.partition(" ")
        if not re.fullmatch(r"E\d{4}", code) or not reason.strip():
            problems.append(f"{ALLOW_FILE}:{number}: expected 'E0xxx reason'")
        allowed.add(code)
    return allowed


def check(root):
    problems = []
    codes = defined_codes(root, problems)
    allowed = allowed_codes(root, problems)
    texts = [text for path, text in lint.files(root, TEST_SUFFIXES, ("tests",))
             if not path.startswith("tests/lint/")]
    words = set()
    for text in texts:
        words.update(re.findall(r"\bE\d{4}\b", text))
        words.update(re.findall(r"\bErrorCode::(\w+)", text))
    for code, name in sorted(codes.items()):
        tested = code in words or name in words
        if tested and code in allowed:
            problems.append(f"{ALLOW_FILE}: {code} is tested; remove it here")
        elif not tested and code not in allowed:
            problems.append(f"{code} ({name}) has no test; add one to tests/error/")
    for code in sorted(allowed - codes.keys()):
        problems.append(f"{ALLOW_FILE}: {code} does not exist")
    return problems


GOOD = {
    "ir/error_codes.h": "enum class ErrorCode {\n  Race = 302,  // E0302 two threads\n"
                        "  Unproved = 306, // E0306 a claim\n  BadTail = 103,// E0103 tail\n};\n",
    "tests/error/race_test.cpp": 'EXPECT("E0302");\n',
    "tests/unit/tail_test.cpp": "EXPECT_EQ(e.code(), ErrorCode::BadTail);\n",
    ALLOW_FILE: "# comment\nE0306 the language can't state one yet\n",
}

BAD = [
    ({"tests/error/race_test.cpp": "\n"}, "E0302 (Race) has no test"),
    ({"tests/error/race_test.cpp": 'f("E03021"); g("xE0302");'}, "E0302 (Race) has no test"),
    ({ALLOW_FILE: ""}, "E0306 (Unproved) has no test"),
    ({ALLOW_FILE: "E0306\n"}, "expected 'E0xxx reason'"),
    ({ALLOW_FILE: "E0306 why\nE0302 why\n"}, "E0302 is tested; remove it"),
    ({ALLOW_FILE: "E0306 why\nE0999 why\n"}, "E0999 does not exist"),
    ({"ir/error_codes.h": "  Race = 302,  // E0303 two threads\n"}, "Race needs a comment"),
    ({"ir/error_codes.h": "  Race = 302,  // E0302 x\n  Run = 302,  // E0302 y\n"}, "both Race and"),
    ({"ir/error_codes.h": "nothing"}, "no codes found"),
]

if __name__ == "__main__":
    lint.main(check, GOOD, BAD, "error codes")
