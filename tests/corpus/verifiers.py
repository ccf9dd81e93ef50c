"""The JVM's verifiers as a function: which rewritten classes does each of them refuse?"""
import pathlib
import re
import subprocess

from assay_test import java

HERE = pathlib.Path(__file__).resolve().parent
MANIFEST = "Premain-Class: RedefineVerifier\nCan-Redefine-Classes: true\n"


def build(folder, jdks):
    """Compiles the harness into `folder`; returns {name of verifier: command without the list}."""
    folder = pathlib.Path(folder)
    sources = HERE / "verify"
    commands = {}
    for version in jdks:
        out = folder / f"verify-{version}"
        out.mkdir(parents=True, exist_ok=True)
        files = [sources / "Corpus.java", sources / "RedefineVerifier.java"]
        if version >= 24:
            files.append(sources / "ClassfileVerifier.java")
        subprocess.run([java(version, "javac"), "-nowarn", "-d", out, *files], check=True,
                       capture_output=True)
        (folder / "manifest").write_text(MANIFEST)
        jar = folder / f"verify-{version}.jar"
        subprocess.run([java(version, "jar"), "cfm", jar, folder / "manifest", "-C", out, "."],
                       check=True)
        # No flag against falling back to the old verifier is needed (or left): classes of
        # version 51 and later never do.
        commands[f"hotspot-{version}"] = [
            java(version), "-Xverify:all", "-Xmx3g", "--add-modules", "ALL-SYSTEM", "-Xlog:disable", "-Xlog:all=error:stderr",
            f"-javaagent:{jar}", "-cp", jar, "RedefineVerifier"]
        if version >= 24:
            commands[f"classfile-{version}"] = [java(version), "-Xmx3g", "--add-modules",
                                                "ALL-SYSTEM", "-cp", jar,
                                                "ClassfileVerifier"]
    return commands


def run(command, list_file, timeout=3600):
    """{'classes': n, 'verified': n, 'rejected': n, 'not loadable': n, 'lines': [...]}"""
    result = subprocess.run([*command, list_file], capture_output=True, text=True,
                            errors="replace", timeout=timeout)
    lines = result.stdout.splitlines()
    if not lines or not lines[-1].startswith("classes "):
        raise RuntimeError(f"verifier died: {result.returncode}\n{result.stdout[-2000:]}"
                           f"\n{result.stderr[-2000:]}")
    totals = {name: int(count) for name, count in re.findall(r"([a-z ]+?) (\d+)(?:, |$)", lines[-1])}
    totals["lines"] = [line for line in lines if line.startswith("rejected ")]
    return totals
