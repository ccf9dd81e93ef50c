"""Options that every benchmark command shares."""
import argparse
import os

import registry
from assay_test import need

from . import limit, paths

QUICK = os.environ.get("QUICK", "") not in ("", "0")

# Different characters, short: what a quick run is made of.
QUICK_WORKLOADS = ["javac", "h2", "rhino", "xalan"]


def parser(description):
    result = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--quick", action="store_true", default=QUICK,
                        help=f"a short form that stops itself after {limit.QUICK} s (QUICK=1 with make)")
    result.add_argument("--jdk", type=int, action="append", help="17, 25; both without")
    result.add_argument("--workload", action="append", metavar="NAME")
    result.add_argument("--size", choices=("small", "large"), default="small")
    result.add_argument("--budget", type=float, metavar="SECONDS", help="time limit of the whole command: it stops there and shows what it has")
    result.add_argument("--minutes", type=float, help="the same limit in minutes")
    result.add_argument("--publish", action="store_true",
                        help="write the section into docs/results.md and the raw data beside it")
    return result


def parse(parser, full=None):
    """Reads the command line and starts the command's time limit. `full`: seconds of the full form."""
    arguments = parser.parse_args()
    need()
    if arguments.minutes:
        arguments.budget = 60 * arguments.minutes
    seconds = arguments.budget or (limit.QUICK if arguments.quick else full)
    limit.LIMIT.start(seconds)
    return arguments


def jdks(arguments):
    wanted = arguments.jdk or [j for j in (17, 25) if j in paths.JDKS] or [min(paths.JDKS)]
    for jdk in wanted:
        if jdk not in paths.JDKS:
            raise SystemExit(f"no JDK {jdk} here; set JAVA_HOME_{jdk} to one")
    return wanted[-1:] if arguments.quick and not arguments.jdk else wanted


def workloads(arguments, jdk, group=("real",), deterministic=False):
    names = arguments.workload or (QUICK_WORKLOADS if arguments.quick else None)
    chosen, skipped = registry.select(names, jdk, None if names else group)
    for name, why in skipped:
        print(f"{name} skipped: {why}", flush=True)
    return [w for w in chosen if w.deterministic or not deterministic]
