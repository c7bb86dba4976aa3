#!/usr/bin/env python3
"""Includes point one way: dsl -> codegen -> scheduler -> ir. Fails on every include against that.

  ir                 includes ir only
  scheduler          scheduler, ir
  codegen            codegen, scheduler, ir
  codegen/runtime    itself only: it ships with exported libraries
  dsl                dsl, scheduler, ir; dsl/pipeline* also codegen; dsl/buffer* also codegen/runtime
  apps, docs         <sinter/sinter.h>, apps/support and themselves; apps/support itself only
  tests              anything

LLVM headers stay in codegen/llvm and codegen/aot, Z3's in scheduler/prove, and CUDA's are not used at
all (the driver is opened at run time), so that each can change without the rest noticing.
"""

import posixpath
import re

import lint

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# Emitted headers stand in raw strings, and examples in comments; neither is an include of the file.
NOT_CODE = re.compile(r'R"([^\s()\\]{0,16})\(.*?\)\1"|/\*.*?\*/', re.DOTALL)

# (headers, where they may be included, name for the message)
FENCED = [
    (re.compile(r"^(llvm|llvm-c|lld|clang)/"), ("codegen/llvm/", "codegen/aot/"), "LLVM"),
    (re.compile(r"^z3(\+\+|_[a-z0-9_]+)?\.h$"), ("scheduler/prove/",), "Z3"),
    (re.compile(r"^(cuda|cudaTypedefs|cuda_runtime|cuda_runtime_api|nvrtc)\.h$"), (), "CUDA"),
]


def room(path):
    """The longest prefix of `path` that has rules of its own."""
    for prefix in ("codegen/runtime", "apps/support"):
        if path.startswith(prefix + "/"):
            return prefix
    return path.split("/", 1)[0]


def allowed(path):
    """Rooms that the file at `path` may include from."""
    name = posixpath.basename(path)
    here = room(path)
    if here == "dsl":
        rooms = {"dsl", "scheduler", "ir"}
        if re.match(r"pipeline[._]", name):
            rooms |= {"codegen", "codegen/runtime"}
        elif re.match(r"buffer[._]", name):
            rooms |= {"codegen/runtime"}
        return rooms
    return {
        "ir": {"ir"},
        "scheduler": {"scheduler", "ir"},
        "codegen": {"codegen", "codegen/runtime", "scheduler", "ir"},
        "codegen/runtime": {"codegen/runtime"},
        "apps/support": {"apps/support"},
        "apps": {"apps", "apps/support"},
        "docs": {"docs", "apps/support"},
        "tests": set(lint.ROOMS) | {"codegen/runtime", "apps/support"},
    }[here]


def resolve(root, path, header):
    """The included file relative to the root: beside the includer first, as the compiler does."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), header))
    for candidate in (beside, posixpath.normpath(header)):
        if not candidate.startswith("..") and (root / candidate).is_file():
            return candidate
    return None


def check_include(root, path, quoted, angled):
    header = quoted or angled
    for pattern, places, name in FENCED:
        if pattern.match(header):
            if path.startswith(places):
                return None
            where = " and ".join(places) if places else "nowhere"
            return f"includes {header}: {name} headers belong in {where}"
    if angled:
        if angled.startswith("sinter/") and room(path) not in ("apps", "docs", "tests"):
            return f"includes <{angled}>, the users' front door"
        target = resolve(root, "", angled)  # <ir/expr.h> is as much an include as "ir/expr.h"
        if target is None or room(target) not in set(lint.ROOMS) | {"codegen/runtime", "apps/support"}:
            return None
    else:
        target = resolve(root, path, quoted)
        if target is None:
            return f'includes "{quoted}", which is no file of the tree (system headers take <>)'
    if room(target) not in allowed(path):
        return f"includes {target} against the arrows ({room(path)} -> {room(target)})"
    return None


def check(root):
    problems = []
    seen = 0
    for path, text in lint.files(root, lint.CODE_SUFFIXES):
        seen += 1
        blank = lambda match: "\n" * match.group(0).count("\n")
        code = NOT_CODE.sub(blank, text)
        for match in INCLUDE.finditer(code):
            problem = check_include(root, path, match.group(1), match.group(2))
            if problem:
                line = code.count("\n", 0, match.start()) + 1
                problems.append(f"{path}:{line}: {problem}")
    if seen == 0:
        problems.append(f"{root}: no source files found")
    return problems


GOOD = {
    "ir/expr.h": "#include <vector>\n",
    "ir/expr.cpp": '#include "ir/expr.h"\n#include "expr.h"\n',
    "scheduler/a.h": '#include "ir/expr.h"\n',
    "scheduler/prove/z.cpp": "#include <z3++.h>\n",
    "codegen/runtime/rt.h": "#include <stdint.h>\n",
    "codegen/llvm/l.cpp": '#include <llvm/IR/Module.h>\n#include "codegen/runtime/rt.h"\n',
    "codegen/emit.cpp": 'auto s = R"(\n#include "made_up.h"\n)";\n/*\n#include "gone.h"\n*/\n',
    "codegen/c.h": '#include "scheduler/a.h"\n',
    "dsl/func.h": '#include "ir/expr.h"\n',
    "dsl/pipeline.cpp": '#include "codegen/c.h"\n',
    "dsl/buffer.h": '#include "codegen/runtime/rt.h"\n',
    "apps/support/npy.h": "#include <string>\n",
    "apps/blur/blur.cpp": '#include <sinter/sinter.h>\n#include "apps/support/npy.h"\n',
    "tests/unit/t.cpp": '#include "codegen/c.h"\n#include "ir/expr.h"\n',
}

BAD = [
    ({"ir/bad.h": '#include "scheduler/a.h"\n'}, "ir/bad.h:1: includes scheduler/a.h against"),
    ({"ir/bad.h": '\n\n#  include "../dsl/func.h"\n'}, "ir/bad.h:3: includes dsl/func.h against"),
    ({"ir/bad.h": "#include <scheduler/a.h>\n"}, "(ir -> scheduler)"),
    ({"ir/bad.h": "#include <z3.h>\n"}, "Z3 headers belong in scheduler/prove/"),
    ({"ir/bad.h": "#include <llvm/ADT/APInt.h>\n"}, "LLVM headers belong in"),
    ({"ir/bad.h": "#include <sinter/sinter.h>\n"}, "front door"),
    ({"ir/bad.h": '#include "nothing.h"\n'}, "no file of the tree"),
    ({"scheduler/bad.cpp": '#include "codegen/c.h"\n'}, "(scheduler -> codegen)"),
    ({"scheduler/bad.cpp": "#include <z3++.h>\n"}, "Z3 headers"),
    ({"codegen/bad.cpp": '#include "dsl/func.h"\n'}, "(codegen -> dsl)"),
    ({"codegen/emulate/bad.cpp": "#include <llvm-c/Core.h>\n"}, "LLVM headers"),
    ({"codegen/runtime/bad.cpp": '#include "ir/expr.h"\n'}, "(codegen/runtime -> ir)"),
    ({"codegen/runtime/bad.cpp": "#include <cuda.h>\n"}, "CUDA headers belong in nowhere"),
    ({"dsl/func.cpp": '#include "codegen/c.h"\n'}, "(dsl -> codegen)"),
    ({"dsl/func.cpp": '#include "codegen/runtime/rt.h"\n'}, "(dsl -> codegen/runtime)"),
    ({"dsl/buffer.cpp": '#include "codegen/c.h"\n'}, "(dsl -> codegen)"),
    ({"apps/blur/bad.cpp": '#include "ir/expr.h"\n'}, "(apps -> ir)"),
    ({"apps/support/bad.cpp": '#include "ir/expr.h"\n'}, "(apps/support -> ir)"),
    ({"tests/unit/bad.cpp": "#include <llvm/IR/Module.h>\n"}, "LLVM headers"),
]

if __name__ == "__main__":
    lint.main(check, GOOD, BAD, "includes")
