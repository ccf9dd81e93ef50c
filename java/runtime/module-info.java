/** The runtime of programs rewritten by {@code assay rewrite}, and the interface of profiling agents. */
module assay.runtime {
    exports assay.runtime;
}
