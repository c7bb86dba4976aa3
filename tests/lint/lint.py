"""What the lints share: walking the tree, the command line, and self-tests on made-up trees."""

import pathlib
import sys
import tempfile

CODE_SUFFIXES = {".h", ".cpp", ".c", ".inc"}
ROOMS = ("apps", "codegen", "docs", "dsl", "ir", "scheduler", "tests")


def files(root, suffixes, tops=ROOMS):
    """Files below the given top folders, as (path relative to root in posix form, text).

    Bytes are decoded as they are: read_text() would hide carriage returns."""
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path.relative_to(root).as_posix(), path.read_bytes().decode("utf-8")


def write_tree(root, tree):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))


def self_test(check, good, bad):
    """`good` must pass; each (changes, expected words) of `bad`, laid over it, must say the words."""
    failures = []
    for number, (changes, words) in enumerate([({}, None), *bad]):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            write_tree(root, {**good, **changes})
            problems = check(root)
        if words is None:
            if problems:
                failures.append(f"the good tree was rejected: {problems}")
        elif not any(words in problem for problem in problems):
            failures.append(f"case {number}: expected {words!r}, got {problems}")
    for failure in failures:
        print(failure)
    print(f"self-test: {len(bad)} bad trees, {len(failures)} failures")
    return 1 if failures else 0


def main(check, good, bad, summary):
    """Command line of a lint: `check_x.py ROOT` or `check_x.py --self-test`."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT | --self-test")
    if sys.argv[1] == "--self-test":
        sys.exit(self_test(check, good, bad))
    root = pathlib.Path(sys.argv[1])
    if not root.is_dir():
        sys.exit(f"{root}: no such folder")
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{summary}: {len(problems)} problem(s)")
    sys.exit(1 if problems else 0)
