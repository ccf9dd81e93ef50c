# The commands of the README. `make` builds; `make help` lists the rest.
.DEFAULT_GOAL := build
.PHONY: build setup setup-bench demo test corpus fuzz soak clean help

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

corpus: setup-bench build ## every class of every JDK and jar here through the rewriter and the verifiers
	@tests/corpus/sweep.py

fuzz: setup       ## fuzz each target; FUZZ_SECONDS=600 by default
	@tests/fuzz/run.sh $${FUZZ_SECONDS:-600}

soak: setup-bench build ## attach/detach, option changes and stress for SOAK_MINUTES (30)
	@tests/stress/soak.py --minutes $${SOAK_MINUTES:-30}

clean:            ## remove the build folders
	rm -rf build build-sanitize build-fuzz

help:             ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16
