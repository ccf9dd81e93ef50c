#!/usr/bin/env python3
"""The papers' tables and figures for our workloads, one section of docs/results.md each.

  make bench-tables                     all of them
  QUICK=1 make bench-tables             each in a short form
  bench/tables/run.py p0-table2 --jdk 25 --workload h2

p0-table2  samples x stride: overhead / accuracy       p0-table3  per program, small and large
p1         bias programs; correction off, density, full  p2       Tables 1 to 5
p3         granularities, constant and jittered        p4         correlation of successive runs
p2-checks  Property 1 by counting                      p2-accuracy  call edges and fields against interval 1
p3-same    equal files, exact totals                   p3-itself  which programs do the same work in every run
p0-sweep   samples x stride at a tick of 4 ms          p3-length  contexts in runs of several lengths
counts     exact counts against JFR's method timing and the JVM's own counters
accuracy-overhead  the plot, from raw data that exists; runs nothing
"""
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import accuracy, cli, tradeoff
from harness.limit import LIMIT, Spent
from tables import counts, p0, p1, p2, p2_counts, p3, p3_same, p4

TABLES = {"counts": counts.counts, "p0-table2": p0.table2, "p0-table3": p0.table3, "p0-sweep": p0.sweep, "p1": p1.bias,
          "p1-correction": p1.correction, "p2": p2.intervals,
          "p2-checks": p2_counts.checks, "p2-accuracy": p2_counts.accuracy, "p3": p3.granularities,
          "p3-same": p3_same.same, "p3-itself": p3_same.itself, "p3-length": p3.lengths, "p4": p4.precision,
          "accuracy-overhead": tradeoff.command}


def make(names, arguments):
    """Makes the tables, each within its share of the time that is left; the names of those that failed."""
    failed = []
    for number, name in enumerate(names):
        LIMIT.left_out.clear()
        try:
            with LIMIT.share(len(names) - number):
                TABLES[name](arguments)
        except Spent:
            print(f"{name}: the time limit ended it before there was a table", flush=True)
        except Exception:            # one table must not take the others with it
            traceback.print_exc()
            failed.append(name)
    return failed


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("table", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--setting", action="append", choices=accuracy.SETTINGS, help="of p0-sweep; paper and production without")
    arguments = cli.parse(parser)
    unknown = [t for t in arguments.table if t not in TABLES]
    if unknown:
        parser.error(f"unknown table {', '.join(unknown)}; known: {', '.join(TABLES)}")
    failed = make(arguments.table or list(TABLES), arguments)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
