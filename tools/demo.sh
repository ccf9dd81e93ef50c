#!/usr/bin/env bash
# Profiles the JDK's own compiler at work, shows who calls whom and how often, and writes the report.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=build/demo.profile
report=build/demo.html
echo "Profiling javac compiling a few thousand lines, six times over..."
bench/workloads/run.py javac --size small --iterations 6 --assay "-o $profile" >build/demo.log 2>&1 || {
  cat build/demo.log >&2
  exit 1
}
grep '^assay:' build/demo.log || true
echo
build/assay show "$profile" --top 12
echo
build/assay report "$profile" -o "$report"
echo
echo "The report: $(pwd)/$report (one file, opens in any browser)"
echo "Next:       build/assay run -- java -jar your-app.jar; build/assay report assay.profile"
