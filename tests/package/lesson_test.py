#!/usr/bin/env python3
"""What a lesson says that is printed, is printed: lesson_test.py SOURCE PROGRAM [ARGUMENT...].

A quotation is a run of lines that begin with `// >` (`# >` in Python, ` * >` in C). Each has to stand in the program's output as it is, line by
line, behind the one before it. Numbers of source lines are not compared. The program has to end well."""

import re
import subprocess
import sys

QUOTED = re.compile(r"^\s*(?://|#|\*) >(?: (.*))?$")


def normalized(line):
    return re.sub(r"(\.cpp):\d+", r"\1:N", line.rstrip())


def quotations(text):
    """(number of the first line, lines) of each."""
    out, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        match = QUOTED.match(line)
        if match and not inside:
            out.append((number, []))
        if match:
            out[-1][1].append(normalized(match[1] or ""))
        inside = bool(match)
    return out


def missing(quoted, printed):
    """The first quotation that `printed` does not have behind those before it, as (line of the source, line of the output from where it was
    looked for)."""
    at = 0
    for number, lines in quoted:
        places = range(at, len(printed) - len(lines) + 1)
        found = next((i for i in places if printed[i:i + len(lines)] == lines), None)
        if found is None:
            return number, at
        at = found + len(lines)
    return None


def main():
    source, command = sys.argv[1], sys.argv[2:]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit("%s%s\n%s ended with %d" % (run.stdout, run.stderr, command[0], run.returncode))
    with open(source) as file:
        quoted = quotations(file.read())
    if not quoted:
        sys.exit("%s quotes nothing of what it prints" % source)
    printed = [normalized(line) for line in run.stdout.splitlines()]
    wrong = missing(quoted, printed)
    if wrong:
        number, at = wrong
        sys.exit("%s:%d: not printed; the output from where it was looked for:\n%s" % (source, number, "\n".join(printed[at:])))
    print("%d quotations of %s are what it prints" % (len(quoted), source))


if __name__ == "__main__":
    main()
