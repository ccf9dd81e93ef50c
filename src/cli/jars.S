// assay-runtime.jar, for `assay rewrite` to take its classes from, and the programs that `assay calibrate` times.
    .section .rodata
    .global assay_runtime_jar
    .global assay_runtime_jar_end
assay_runtime_jar:
    .incbin "assay-runtime.jar"
assay_runtime_jar_end:
    .global assay_calibrate_jar
    .global assay_calibrate_jar_end
assay_calibrate_jar:
    .incbin "java/assay-calibrate.jar"
assay_calibrate_jar_end:
    .section .note.GNU-stack,"",@progbits
