#!/usr/bin/env python3
"""Checks that #include lines under src/ follow the one-way layering of ARCHITECTURE.md.

With --self-test it proves that a violation would be found.
"""
import pathlib
import re
import sys

# folder -> folders it may include (its own always)
ALLOWED = {
    "base": set(),
    "classfile": {"base"},
    "bytecode": {"base", "classfile"},
    "instrument": {"base", "classfile", "bytecode"},
    "plan": {"base", "classfile"},
    "profile": {"base"},
    "estimate": {"base", "profile"},
    "sampling": {"base", "profile", "estimate"},
    "agent": {"base", "classfile", "bytecode", "instrument", "plan", "profile", "estimate",
              "sampling"},
    "optimize": {"base", "profile", "plan", "classfile", "bytecode", "estimate"},
    "export": {"base", "profile"},
    "report": {"base", "profile", "estimate"},
    "cli": None,  # everything
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"src/([a-z_]+)/', re.M)
OURS = re.compile(r'^\s*#\s*include\s+"(?!src/)([^"]+)"', re.M)
JVMTI = re.compile(r'^\s*#\s*include\s+[<"]jvmti\.h[>"]', re.M)


def violations(layer, path, text):
    allowed = ALLOWED.get(layer, set())
    for target in INCLUDE.findall(text):
        if target not in ALLOWED:
            yield f"{path}: includes src/{target}, which is not a layer"
        elif allowed is not None and target != layer and target not in allowed:
            yield f"{path}: {layer} may not include {target}"
    for other in OURS.findall(text):
        yield f'{path}: "{other}" is not given from the project root (src/...)'
    if JVMTI.search(text) and not (layer == "agent" or "/hotspot/" in str(path)):
        yield f"{path}: jvmti.h belongs to src/agent and hotspot/ folders"


def main():
    if "--self-test" in sys.argv:
        bad = '#include "src/agent/x.h"\n#include "local.h"\n#include <jvmti.h>\n'
        found = list(violations("base", "src/base/x.cc", bad))
        assert len(found) == 3, found
        assert not list(violations("agent", "src/agent/x.cc", '#include "src/base/a.h"\n'))
        return 0
    root = pathlib.Path(__file__).resolve().parent.parent
    problems = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cc", ".S"):
            layer = path.relative_to(root / "src").parts[0]
            problems += violations(layer, path.relative_to(root), path.read_text())
    print("\n".join(problems) or "layers: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
