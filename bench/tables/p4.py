"""Partial calling context tree: precision as the correlation of successive runs, and cost against depth."""
import pathlib
import subprocess
import tempfile

from harness import accuracy, cli, configs, graph, paths, results

from . import common


def precision(arguments):
    text = ""
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 3 if arguments.quick else 10, deterministic=False)
        run = accuracy.Accuracy("p4", paths.RAW / f"p4-{jdk}.jsonl", jdk, "production", arguments.size, 12)
        rows = []
        for workload in work:
            row = {"workload": workload.name, "config": "contexts", "repeat": 0, "why": ""}
            with tempfile.TemporaryDirectory() as folder:
                profiles = [pathlib.Path(folder) / f"{i}.profile" for i in range(2)]
                try:
                    for profile in profiles:
                        result = run.profile(workload, configs.CONFIGS["contexts"], profile)
                        if not result.ok:
                            raise RuntimeError(result.why)
                    found = graph.compare(*profiles)
                    correlation = found.get("correlations", {}).get("contexts") or found["correlation"]
                    row.update(found["overlap"], correlation=correlation)
                    rows.append([workload.name, common.number(correlation, 3),
                                 common.number(found["overlap"].get("methods")), common.number(found["overlap"].get("contexts"))])
                except (RuntimeError, subprocess.CalledProcessError) as failure:
                    row["why"] = str(failure)[-300:]
                    rows.append([workload.name, "failed", "", ""])
            run._add(row)
        good = [r["correlation"] for r in run.rows if not r["why"] and r.get("correlation") is not None]
        mean = sum(good) / len(good) if good else None
        rows.append(["**mean**", common.number(mean, 3), "", ""])
        rows.append(["paper", "about 0.9", "", ""])
        text += (f"JDK {jdk}, two successive runs of 12 iterations:\n\n"
                 + results.table(["program", "correlation", "overlap of method edges %", "of contexts %"], rows) + "\n")
    common.publish(arguments, "p4", "P4: precision of the context sampler", text, run.info, [run])
