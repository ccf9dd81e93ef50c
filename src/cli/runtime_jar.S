// assay-runtime.jar, for `assay rewrite` to take its classes from.
    .section .rodata
    .global assay_runtime_jar
    .global assay_runtime_jar_end
assay_runtime_jar:
    .incbin "assay-runtime.jar"
assay_runtime_jar_end:
    .section .note.GNU-stack,"",@progbits
