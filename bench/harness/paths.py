"""Where things are: the project, its build, the workloads' runner."""
import pathlib

from assay_test import AGENT, ASSAY, BUILD, JDKS, NEWEST  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
RAW = BUILD / "bench"                     # raw data, resumed from
DOCS = ROOT / "docs"
RESULTS = DOCS / "results.md"
PUBLISHED = DOCS / "results"              # plots and raw data of the published results
