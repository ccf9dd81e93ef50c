"""Exhaustive profiles, made once and kept between commands in the build's folder.

What they depend on is in their names: setting, JVM, program (its classes, parameters and flags), size, iterations. The
build of the agent is not: every build is compared with the same truth, and `--fresh-truth` makes new ones where that was
wrong. Which build made one, and when, is kept beside it.
"""
import hashlib
import json

import registry
import run as runner

from . import machine, paths


def digest(workload):
    """Of the program: its own classes and those that no other program has for itself."""
    others = {w.main for w in registry.WORKLOADS.values()} - {workload.main}
    result = hashlib.sha256(json.dumps([workload.main, workload.params, workload.jvm, workload.jars]).encode())
    for file in sorted(runner.build().glob("bench/*.class")):
        if file.stem.split("$")[0] not in others:
            result.update(file.read_bytes())
    return result.hexdigest()


class Truths:
    """Those of one setting on one JVM."""

    def __init__(self, setting, jdk, size, iterations_of, fresh=False):
        """`iterations_of`: how many a program has."""
        self.setting, self.jdk, self.size, self.iterations_of = setting, jdk, size, iterations_of
        self.fresh, self._paths = fresh, {}

    def path(self, workload, number=0):
        if (workload.name, number) not in self._paths:
            key = json.dumps([self.setting, machine.jvm(self.jdk), self.size, self.iterations_of(workload), digest(workload)])
            name = f"{workload.name}-{self.setting}-{self.jdk}-{hashlib.sha256(key.encode()).hexdigest()[:12]}-{number}"
            path = self._paths[workload.name, number] = paths.RAW / "truth" / f"{name}.profile"
            if self.fresh:
                path.unlink(missing_ok=True)
        return self._paths[workload.name, number]

    def get(self, workload, number, make):
        """The path of the profile; `make` writes it to the path that it is given, or raises."""
        path = self.path(workload, number)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".unfinished")
            unfinished.unlink(missing_ok=True)
            make(unfinished)
            info = machine.describe(self.jdk)
            path.with_suffix(".made").write_text(json.dumps({"build": info["build"], "date": info["date"]}))
            unfinished.rename(path)
        return path

    def made(self, workload):
        """{"build", "date"} of the truth that is there, or None."""
        path = self.path(workload)
        note = path.with_suffix(".made")
        return json.loads(note.read_text()) if path.exists() and note.exists() else None
