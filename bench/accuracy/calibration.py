#!/usr/bin/env python3
"""Whether the stated errors are true: intervals of edges, and the self-estimated accuracy.

  bench/accuracy/calibration.py --jdk 25              30 runs
  bench/accuracy/calibration.py --runs 5 --correct off

The program is generated: it makes calls along a few hundred edges in an order that a fixed pseudo-random
sequence gives, in stretches of alike calls as real programs do. It counts that sequence without making the
calls, so that the truth owes nothing to a profiler. The bars: the 95 % intervals contain the true
share of their edge in 90 to 99 % of all cases, and the accuracy that Assay claims lies within 3 points of
the measured one in the mean.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, graph, machine, paths, process, results
from harness.limit import LIMIT, Spent

GROUPS, MEMBERS = 20, 15
FLAGS = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Calibration::m*")


def source():
    """Methods of different length, reached from one switch in each group."""
    leaves, switches = [], []
    for group in range(GROUPS):
        cases = []
        for member in range(MEMBERS):
            work = 30 + 10 * ((group * 7 + member * 13) % 40)
            leaves.append(f"  static int m{group}_{member}(int x) {{ for (int i = 0; i < {work}; i++) "
                          "x = x * 31 + (x >>> 7); return x; }")
            cases.append(f"case {member}: return m{group}_{member}(x);")
        switches.append(f"  static int m{group}(int k, int x) {{ switch (k) {{ {' '.join(cases)} }} return x; }}")
    calls = " ".join(f"case {group}: x = m{group}(k, x); break;" for group in range(GROUPS))
    return f"""
public final class Calibration {{
  static long state = 42;
  static int next(int bound) {{
    state = state * 6364136223846793005L + 1442695040888963407L;
    return (int) ((state >>> 33) % bound);
  }}
  // Low numbers are likelier.
  static int skewed(int bound) {{
    int r = next(1000);
    return (int) ((long) bound * r * r / 1000000);
  }}
{chr(10).join(leaves)}
{chr(10).join(switches)}
  static int run(int stretches, long[] counts) {{
    int x = 1;
    for (int s = 0; s < stretches; s++) {{
      int group = skewed({GROUPS}), length = 50 + next(400), a = skewed({MEMBERS}), b = skewed({MEMBERS});
      for (int i = 0; i < length; i++) {{
        int k = next(4) == 0 ? b : a;
        if (counts != null) {{ counts[group * {MEMBERS} + k]++; continue; }}
        switch (group) {{ {calls} }}
      }}
    }}
    return x;
  }}
  public static void main(String[] arguments) {{
    int stretches = Integer.parseInt(arguments[0]);
    run(stretches, null);
    long before = state;
    long[] counts = new long[{GROUPS * MEMBERS}];
    state = 42;
    run(stretches, counts);
    if (state != before) throw new AssertionError("not the same sequence");
    StringBuilder text = new StringBuilder("counts");
    for (long count : counts) text.append(' ').append(count);
    System.out.println(text);
  }}
}}
"""


def truth(stdout):
    counts = next(line for line in stdout.splitlines() if line.startswith("counts ")).split()[1:]
    calls = {}
    for i, count in enumerate(map(int, counts)):
        group = f"m{i // MEMBERS}"
        calls[group, f"{group}_{i % MEMBERS}"] = count
        calls["run", group] = calls.get(("run", group), 0) + count
    return calls


def short(method):
    return method.split("(")[0].removeprefix("Calibration.")


def once(folder, jdk, stretches, options, seed):
    out = folder / "calibration.profile"
    java = [str(paths.JDKS[jdk] / "bin" / "java"), *FLAGS, "-cp", str(folder), "Calibration", str(stretches)]
    ran = process.capture([paths.ASSAY, "run", "-q", "--seed", seed, *options, "-o", out, "--", *java])
    ran.check_returncode()
    shown = subprocess.run([str(paths.ASSAY), "show", str(out), "--by", "edges", "--json", "--top", "0"],
                           capture_output=True, text=True, check=True)
    profile = json.loads(shown.stdout)
    counts = {edge: count for edge, count in truth(ran.stdout).items() if count}
    edges = {}
    for edge in profile["edges"]:
        key = short(edge["caller"]), short(edge["callee"])
        if key in counts:
            edges[key] = edge
    return profile["metadata"], counts, edges


def judge(counts, edges):
    """(intervals that contain the truth, intervals, measured overlap in %)."""
    all_true, all_seen = sum(counts.values()), sum(e["weight"] for e in edges.values())
    covered = 0
    for key, edge in edges.items():
        share = edge["weight"] / all_seen
        covered += abs(share - counts[key] / all_true) <= edge["error"] * share
    seen = {key: edge["weight"] for key, edge in edges.items()}
    return covered, len(edges), graph.overlap(counts, seen)


def calibrate(jdk, arguments, options):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "Calibration.java").write_text(source())
        javac = paths.JDKS[min(paths.JDKS)] / "bin" / "javac"
        subprocess.run([str(javac), "--release", "17", "Calibration.java"], cwd=folder, check=True)
        for run in range(arguments.runs):
            try:
                metadata, counts, edges = once(folder, jdk, arguments.stretches, options, run + 1)
            except Spent:
                LIMIT.leave_out(f"JDK {jdk} after {run} of {arguments.runs} runs")
                break
            covered, intervals, overlap = judge(counts, edges)
            rows.append({"jdk": jdk, "run": run, "covered": covered, "intervals": intervals, "measured": overlap,
                         "claimed": float(metadata.get("accuracy", "nan")),
                         "error": float(metadata.get("accuracy-error", "nan")),
                         "bursts": int(metadata["bursts"])})
            print(f"run {run}: {covered} of {intervals} intervals contain the truth, accuracy measured "
                  f"{overlap:.1f}, claimed {metadata.get('accuracy', 'nothing')}", file=sys.stderr, flush=True)
    return rows


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--stretches", type=int, default=40000, help="length of the program")
    parser.add_argument("--correct", choices=("off", "density", "full"))
    arguments = cli.parse(parser)
    options = ("--correct", arguments.correct) if arguments.correct else ()
    table, raw = [], []
    jdks = cli.jdks(arguments)
    for number, jdk in enumerate(jdks):
        with LIMIT.share(len(jdks) - number):
            rows = calibrate(jdk, arguments, options)
        raw += rows
        if not rows:
            continue
        coverage = 100 * sum(r["covered"] for r in rows) / max(1, sum(r["intervals"] for r in rows))
        off = [r["claimed"] - r["measured"] for r in rows]
        table.append([f"JDK {jdk}", len(rows), f"{coverage:.1f} %",
                      f"{statistics.mean(r['measured'] for r in rows):.1f} %",
                      f"{statistics.mean(r['claimed'] for r in rows):.1f} %",
                      f"{statistics.mean(off):+.1f} (at most {max(off, key=abs):+.1f})",
                      f"{sum(abs(o) <= r['error'] for o, r in zip(off, rows))} of {len(rows)}"])
    text = (results.table(["", "runs", "95 % intervals that contain the truth", "accuracy measured",
                           "accuracy claimed", "difference in points", "within its own error"], table)
            + "\nBars: 90 to 99 % of the intervals; the claim within 3 points of the measured accuracy.\n\n"
            + LIMIT.sentence())
    print(text)
    if arguments.publish:
        path = paths.RAW / "calibration.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in raw))
        results.publish(path, raw)
        results.section("calibration", "Calibration of the stated errors", text, machine.describe(cli.jdks(arguments)[-1]),
                        "bench/accuracy/calibration.py")


if __name__ == "__main__":
    main()
