"""The benchmark harness: interleaved runs, ratios with intervals, call-graph overlap, tables."""
import pathlib
import sys

for _folder in ("bench", "bench/workloads", "tests"):
    _path = str(pathlib.Path(__file__).resolve().parents[2] / _folder)
    if _path not in sys.path:
        sys.path.insert(0, _path)
