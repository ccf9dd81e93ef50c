"""Flight recordings (of the JVM, or of async-profiler in its jfr format) as call graphs, and exact
invocation counts of chosen methods by JFR's method timing (JDK 25)."""
import json
import pathlib
import re
import subprocess

from harness import graph, paths, process

SOURCE = pathlib.Path(__file__).resolve().parent / "JfrGraph.java"
CLASSES = paths.BUILD / "peers"


def build():
    stamp = CLASSES / "JfrGraph.class"
    if not stamp.exists() or stamp.stat().st_mtime < SOURCE.stat().st_mtime:
        CLASSES.mkdir(parents=True, exist_ok=True)
        subprocess.run([paths.JDKS[min(paths.JDKS)] / "bin" / "javac", "-d", CLASSES, SOURCE], check=True)


def convert(recording, jdk):
    """Writes RECORDING.json; returns its path. `jdk` must be at least as new as the recording's."""
    build()
    out = pathlib.Path(str(recording) + ".json")
    subprocess.run([paths.JDKS[jdk] / "bin" / "java", "-XX:TieredStopAtLevel=1", "-cp", CLASSES, "JfrGraph",
                    recording, out], check=True, capture_output=True, text=True)
    return out


def load(converted):
    """(edges into top frames, all edges on the stacks, samples)."""
    data = json.loads(pathlib.Path(converted).read_text())
    return graph.from_edges(data["edges"]), graph.from_edges(data["stack_edges"]), data["samples"]


def method_timing(java_command, jdk, methods, recording):
    """Runs under JFR's method timing; {Class::method: invocations}. Methods as Class::method."""
    java, *rest = java_command
    settings = f"method-timing={';'.join(methods)},filename={recording}"
    process.capture([java, f"-XX:StartFlightRecording={settings}", "-Xlog:jfr*=off", *rest]).check_returncode()
    shown = subprocess.run([paths.JDKS[jdk] / "bin" / "jfr", "print", "--json", "--events", "jdk.MethodTiming",
                            recording], check=True, capture_output=True, text=True)
    counts = {}
    for event in json.loads(shown.stdout)["recording"]["events"]:
        method = event["values"]["method"]
        name = re.sub("/", ".", method["type"]["name"]) + "::" + method["name"]
        counts[name] = max(counts.get(name, 0), event["values"]["invocations"])
    return counts
