#!/usr/bin/env python3
"""Measures the report: how fast it is made and how soon the page answers, by number of edges.

  tests/report/measure.py [--runs N] [EDGES...]

For each size a profile with as many contexts (at most 1 M) and 60,000 ticks is made. "made" is user time
of `assay report` from reading the file to writing the page; "ready" is the time in headless Chromium from
navigation to the first view drawn and listening, median of the runs; "filter" and "zoom" the time until
the page has redrawn after typing into the edge filter and after zooming the icicle.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
from assay_test import ASSAY, BUILD, need  # noqa: E402

# Runs an action and waits until the frame after it has been painted.
PAINTED = """
const done = arguments[arguments.length - 1], began = performance.now();
%s
requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
"""
FILTER = """const box = document.querySelector('.filter input'); box.value = 'java hash';
box.dispatchEvent(new InputEvent('input', {bubbles: true}));"""
ZOOM = """const area = document.querySelector('.flame').getBoundingClientRect();
document.querySelector('.flame').dispatchEvent(new MouseEvent('click', {bubbles: true,
  clientX: area.left + 40, clientY: area.top + 28}));"""


def children_user():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def make(profile, page, runs):
    seconds = []
    for _ in range(runs):
        began = children_user()
        subprocess.run([ASSAY, "report", profile, "-o", page], check=True, stdout=subprocess.DEVNULL)
        seconds.append(children_user() - began)
    return statistics.median(seconds)


def load(page, runs):
    ready, filtered, zoomed = [], [], []
    with browser.Browser() as window:
        def timed(script):
            return window._on("POST", "/execute/async", {"script": PAINTED % script, "args": []})
        for _ in range(runs):
            window.open(page, "#/edges")
            ready.append(window.js("return performance.getEntriesByName('assay-ready')[0].startTime"))
            filtered.append(timed(FILTER))
            window.open(page, "#/contexts")
            window.wait("return document.querySelector('.flame canvas')?.width > 300")
            zoomed.append(timed(ZOOM))
    return [statistics.median(values) for values in (ready, filtered, zoomed)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("edges", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    need("assay", "tests/make_profile")
    print(f"{'edges':>10} {'contexts':>9} {'made':>9} {'edges/s':>10} {'page':>9} {'ready':>9} {'filter':>8} {'zoom':>8}")
    with tempfile.TemporaryDirectory(prefix="assay-measure-") as folder:
        for edges in options.edges:
            profile, page = pathlib.Path(folder) / "p.profile", pathlib.Path(folder) / "p.html"
            contexts = min(edges, 1_000_000)
            subprocess.run([BUILD / "tests/make_profile", "--edges", str(edges), "--nodes", str(contexts),
                            "--ticks", "60000", profile], check=True, stdout=subprocess.DEVNULL)
            made = make(profile, page, options.runs if edges <= 1_000_000 else 1)
            ready, filtered, zoomed = load(page, options.runs)
            print(f"{edges:>10,} {contexts:>9,} {made:>7.2f} s {edges / made:>10,.0f} "
                  f"{os.path.getsize(page) / 1e6:>6.2f} MB {ready:>6.0f} ms {filtered:>5.0f} ms {zoomed:>5.0f} ms",
                  flush=True)


if __name__ == "__main__":
    main()
