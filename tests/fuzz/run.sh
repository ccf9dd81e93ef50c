#!/usr/bin/env bash
# Fuzzes each target for the given number of seconds (default 600) under the address and
# undefined-behaviour sanitizers. New findings are kept in tests/fuzz/corpus/<target>, where `make
# test` replays them; the exit status says whether there were any.
#   tests/fuzz/run.sh [SECONDS] [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
shift || true
targets=${*:-class code stackmap profile}
tools/setup.sh fuzz
test -f build-fuzz/build.ninja || cmake --preset fuzz >/dev/null
for target in $targets; do cmake --build build-fuzz --target "${target}_fuzzer" >/dev/null; done
status=0
for target in $targets; do
  work=build-fuzz/corpus/$target
  mkdir -p "$work"
  echo "fuzzing $target for $seconds s"
  if ! "build-fuzz/${target}_fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
      -max_len=65536 -print_final_stats=1 -artifact_prefix="tests/fuzz/corpus/$target/finding-" \
      "$work" "tests/fuzz/corpus/$target" >"build-fuzz/$target.log" 2>&1; then
    status=1
    echo "$target: found something, see build-fuzz/$target.log"
  fi
  grep -E 'stat::number_of_executed_units|stat::peak_rss_mb|cov:' "build-fuzz/$target.log" | tail -3
done
exit $status
