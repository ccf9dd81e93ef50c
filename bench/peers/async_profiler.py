"""async-profiler as a peer, when ASYNC_PROFILER names its folder or its libasyncProfiler.so.

It records in its jfr format, the only one of its formats with the bytecode index of every frame; collapsed stacks
have method names only. Its every-Nth-call mode (`event=Class.method,interval=N`, patterns for both since 4.2)
calls a recorder at the entry of each matching method, and writes down the stack of every Nth such call.
"""
import os
import pathlib

VARIABLE = "ASYNC_PROFILER"
LIBRARY = "libasyncProfiler.so"

# invokestatic and nop before the code of an instrumented method: its call sites are that much further on.
ENTRY_BYTES = 4


class WrongPath(Exception):
    pass


def given():
    return os.environ.get(VARIABLE, "")


def library(path):
    """The agent library for what the user gave: the file, the release's folder, or a source folder that was built."""
    base = pathlib.Path(path).expanduser().absolute()
    for file in (base, base / "lib" / LIBRARY, base / LIBRARY, base / "build" / "lib" / LIBRARY):
        if file.is_file():
            if file.suffix != ".so":
                raise WrongPath(f"{VARIABLE}={path}: not a folder and not {LIBRARY}")
            return file
    raise WrongPath(f"{VARIABLE}={path}: no {LIBRARY} there")


def flag(options):
    """The JVM flag that profiles the whole run; {out} stands for the recording."""
    return f"-agentpath:{{async_profiler}}=start,{options},jfr,file={{out}}"


def undo_entry(graph, added):
    """The graph with the call sites of the program as it was, `added` bytes before each method's code taken away.
    A site in front of them is not in instrumented code (a native caller has index 0) and stays."""
    result = {}
    for (caller, bci, callee), weight in graph.items():
        key = caller, bci - added if bci >= added else bci, callee
        result[key] = result.get(key, 0) + weight
    return result
