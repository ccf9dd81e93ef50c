#!/usr/bin/env python3
"""Checks that libassay.so exports only its entry points and needs only the C library.

With --self-test it proves that an unwanted symbol or library would be found.
"""
import os
import pathlib
import re
import subprocess
import sys

ENTRY_POINTS = {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload"}
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
             "ld-linux-x86-64.so.2"}


def problems(symbols, needed):
    for symbol in sorted(symbols - ENTRY_POINTS):
        yield f"exports {symbol}"
    for symbol in sorted(ENTRY_POINTS - symbols):
        yield f"does not export {symbol}"
    for library in sorted(needed - LIBRARIES):
        yield f"needs {library}"


def main():
    if "--self-test" in sys.argv:
        found = list(problems({"Agent_OnLoad", "Agent_OnUnload", "malloc"}, {"libstdc++.so.6"}))
        assert len(found) == 3, found
        return 0
    root = pathlib.Path(__file__).resolve().parent.parent
    agent = pathlib.Path(os.environ.get("ASSAY_BUILD", root / "build")) / "libassay.so"
    if not agent.exists():
        sys.exit(f"{agent} does not exist: run `make build` first (or set ASSAY_BUILD to a build folder)")
    listing = subprocess.run(["nm", "-D", "--defined-only", agent], check=True, capture_output=True,
                             text=True).stdout
    dynamic = subprocess.run(["readelf", "-d", "-W", agent], check=True, capture_output=True,
                             text=True).stdout
    found = list(problems({line.split()[-1] for line in listing.splitlines()},
                          set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))))
    print("\n".join(f"libassay.so {each}" for each in found) or "agent: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
