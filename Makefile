# The commands of the README. `make` builds; `make help` lists the rest.
.DEFAULT_GOAL := build
.PHONY: build setup setup-bench demo test test-newer corpus fuzz soak clean help \
  bench-workloads bench-selftest bench-accuracy bench-overhead bench-steady bench-tables bench-inlining bench-scaling

setup:            ## install what is missing to build and test (needs root only when something is)
	@tools/setup.sh build test

setup-bench:      ## install the programs that the benchmarks drive
	@tools/setup.sh build test bench

build:            ## build build/assay, build/libassay.so, build/assay-runtime.jar
	@tools/setup.sh build
	@test -f build/build.ninja || cmake --preset release >/dev/null
	@cmake --build build

demo: build       ## profile a real program, show the result and where the report is
	@tools/demo.sh

test: setup build ## all tests; ends with "N passed, N failed"
	@tools/run_tests.py

test-newer: setup build ## fetch the JDKs of Debian's newest release (JDKS="21 26 27") and run all JVM tests on them
	@tools/newer_jdks.sh $${JDKS:-21 26 27} && jdks="$${JDKS:-21 26 27}" && \
	  ASSAY_TEST_JDKS=$$(echo $$jdks | tr ' ' ',') tools/run_tests.py jvm/ corpus

corpus: setup-bench build ## every class of every JDK and jar here through the rewriter and the verifiers
	@tools/setup.sh corpus
	@tests/corpus/sweep.py

fuzz: setup       ## fuzz each target; FUZZ_SECONDS=600 by default
	@tests/fuzz/run.sh $${FUZZ_SECONDS:-600}

soak: setup-bench build ## attach/detach, option changes and stress for SOAK_MINUTES (30)
	@tests/stress/soak.py --minutes $${SOAK_MINUTES:-30}

bench-workloads: setup-bench build ## list and compile the benchmark programs
	@bench/workloads/run.py --build && bench/workloads/run.py --list

bench-selftest: setup-bench build ## the harness must see 1 % more work and 5 points less accuracy, and nothing where there is nothing
	@bench/harness/selftest.py $(BENCH)

bench-accuracy: setup-bench build ## overlap with the exhaustive profile, both settings (QUICK=1: 5 minutes)
	@bench/accuracy/run.py $(BENCH)

bench-overhead: setup-bench build ## overhead of every collector and peer, interleaved (QUICK=1: 5 minutes)
	@bench/overhead/run.py $(BENCH)

bench-steady: setup-bench build ## overhead in steady state, switched on and off in one JVM (QUICK=1)
	@bench/overhead/steady.py $(BENCH)

bench-tables: setup-bench build ## the papers' tables and figures for our programs (QUICK=1)
	@bench/tables/run.py $(BENCH)

bench-inlining: setup-bench build ## what a profile buys: polymorphic and real programs (QUICK=1)
	@bench/inlining/run.py $(BENCH)

bench-scaling: setup-bench build ## overhead and memory against threads, edges, depth and run length (QUICK=1)
	@bench/scaling/run.py $(BENCH)

clean:            ## remove the build folders
	rm -rf build build-sanitize build-fuzz

help:             ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16
