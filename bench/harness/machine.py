"""What a result depends on: JVM, flags, machine, date, build."""
import datetime
import functools
import hashlib
import os
import platform
import subprocess

from . import paths


@functools.lru_cache(maxsize=None)
def jvm(jdk):
    out = subprocess.run([paths.JDKS[jdk] / "bin" / "java", "-version"], capture_output=True, text=True)
    return out.stderr.splitlines()[-1].strip()


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


@functools.lru_cache(maxsize=None)
def build_id():
    """Identifies what was measured: the agent's and the tool's bytes."""
    digest = hashlib.sha256()
    for file in (paths.AGENT, paths.ASSAY):
        if file.exists():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def describe(jdk):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    return {"jvm": jvm(jdk), "cpu": cpu(), "cores": os.cpu_count(), "memory_gb": round(memory),
            "kernel": platform.release(), "build": build_id(), "load": round(os.getloadavg()[1], 1),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


def sentence(info):
    text = (f"{info['date']}; {info['jvm']}; {info['cores']} cores {info['cpu']}, "
            f"{info['memory_gb']} GB, Linux {info['kernel']}; build {info['build']}.")
    if info.get("load", 0) > 1.5 * info["cores"]:
        text += (f" The machine was busy with other work (load average {info['load']} on {info['cores']} cores), "
                 "so single figures scatter.")
    return text
