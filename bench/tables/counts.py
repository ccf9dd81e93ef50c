"""Exact counts against independent counters, on chosen methods: JFR's method timing (JDK 25) and the JVM's own."""
import pathlib
import tempfile

import registry
import run as runner
from harness import accuracy, cli, configs, graph, paths, results
from peers import jfr, method_data

from . import common

CHOSEN = {"call-density-bias": ["bench.CallDensityBias::compute"],
          "square-sums": ["bench.SquareSums::sq", "bench.SquareSums::sqSum"],
          "figure1": ["bench.Figure1::call1", "bench.Figure1::call2"],
          "exceptions": ["bench.Exceptions::outer", "bench.Exceptions::inner"],
          "depth-100": ["bench.Recursion::even", "bench.Recursion::leaf"]}


def counts(arguments):
    jdk = paths.NEWEST
    if jdk < 25:
        print("counts: skipped, JFR's method timing needs JDK 25")
        return
    run = accuracy.Accuracy("counts", paths.RAW / f"counts-{jdk}.jsonl", jdk, "production", "small", 1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, methods in list(CHOSEN.items())[:2 if arguments.quick else None]:
            workload = registry.WORKLOADS[name]
            profile = pathlib.Path(folder) / f"{name}.profile"
            result = run.profile(workload, configs.CONFIGS["exact"], profile)
            if not result.ok:
                raise RuntimeError(result.why)
            command = [runner.java(jdk), *runner.program(workload)]
            theirs = jfr.method_timing(command, jdk, methods, pathlib.Path(folder) / f"{name}.jfr")
            own = method_data.count(command)
            ours = {}
            for (_, _, callee), weight in graph.load(profile).items():
                method = callee.split("(")[0].rsplit(".", 1)
                ours["::".join(method)] = ours.get("::".join(method), 0) + weight
            for method in methods:
                found = [counts.get(method) for counts in (ours, theirs, own)]
                rows.append([f"`{method}`", *("-" if c is None else f"{c:,.0f}" for c in found),
                             "yes" if len(set(found)) == 1 else "**no**"])
                run._add({"workload": name, "config": method, "repeat": 0, "why": "", "ours": found[0], "jfr": found[1],
                          "jvm": found[2]})
    text = results.table(["method", "`--collect exact`", "JFR method timing", "the JVM's own counter", "equal"], rows)
    text += ("\n`outer` is called 600,000 times and every 11th call throws before it reaches `inner`, so `inner` is\n"
             "called 545,454 times. Method timing appears not to count invocations that end in an exception which\n"
             "the JVM raises itself (a failed cast, a null, an array bound).\n\n"
             "The JVM's own counters are read with the diagnostic flag `-XX:+PrintMethodData` and\n"
             "`-XX:TieredStopAtLevel=3`: C2's code does not count, so under stock flags they stop early and are no\n"
             "peer for a profile of a production run.\n")
    common.publish(arguments, "counts", "Exact counts against JFR's method timing and the JVM's own counters", text, run.info, [run])
