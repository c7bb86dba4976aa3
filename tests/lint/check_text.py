#!/usr/bin/env python3
"""Plain hygiene of every text file, independent of any formatter's version.

No tabs, trailing blanks or carriage returns; a newline at the end; a guard in each header; no conflict
markers. Golden files are exempt from nothing: they are diffed by people too.
"""

import re

import lint

# C headers that ship with exported libraries keep to the standard's way.
GUARD = re.compile(r"^#pragma once$|^#ifndef (\w+)\n#define \1$", re.MULTILINE)

SUFFIXES = lint.CODE_SUFFIXES | {".ir", ".md", ".py", ".cmake", ".txt", ".sh"}
TOPS = lint.ROOMS + ("cmake",)


def check(root):
    problems = []
    seen = 0
    for path, text in lint.files(root, SUFFIXES, TOPS):
        seen += 1
        if text and not text.endswith("\n"):
            problems.append(f"{path}: no newline at the end")
        if path.endswith(".h") and len(GUARD.findall(text)) != 1:
            problems.append(f"{path}: a header has one #pragma once, or one #ifndef guard")
        for number, line in enumerate(text.split("\n"), 1):
            for pattern, what in ((r"\t", "tab"), (r"[ \r]$", "trailing blank"),
                                  (r"^(<{7}|>{7})( |$)", "conflict marker")):
                if re.search(pattern, line):
                    problems.append(f"{path}:{number}: {what}")
    if seen == 0:
        problems.append(f"{root}: no files found")
    return problems


GOOD = {"ir/a.h": "#pragma once\n\nint a();\n", "ir/c.h": "#ifndef C_H\n#define C_H\n#endif\n",
        "docs/README.md": "# Sinter\n"}
BAD = [
    ({"ir/a.h": "#pragma once\nint a();"}, "ir/a.h: no newline"),
    ({"ir/a.h": "int a();\n"}, "one #pragma once"),
    ({"ir/a.h": "#ifndef A_H\n#define B_H\n#endif\n"}, "one #pragma once"),
    ({"ir/a.h": "#pragma once\n\tint a();\n"}, "ir/a.h:2: tab"),
    ({"ir/a.h": "#pragma once \nint a();\n"}, "ir/a.h:1: trailing blank"),
    ({"docs/README.md": "one\r\n"}, "README.md:1: trailing blank"),
    ({"docs/README.md": "one\n" + "<" * 7 + " HEAD\n"}, "README.md:2: conflict marker"),
]

if __name__ == "__main__":
    lint.main(check, GOOD, BAD, "text")
