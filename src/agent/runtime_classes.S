// The class files that the agent defines in the JVM, embedded as they were compiled.
    .section .rodata
    .global assay_class_exact
    .global assay_class_exact_end
    .hidden assay_class_exact
    .hidden assay_class_exact_end
assay_class_exact:
    .incbin "exact/java/lang/AssayExact.class"
assay_class_exact_end:
    .global assay_class_sampled
    .global assay_class_sampled_end
    .hidden assay_class_sampled
    .hidden assay_class_sampled_end
assay_class_sampled:
    .incbin "sampled/java/lang/AssaySampled.class"
assay_class_sampled_end:
    .global assay_class_count
    .global assay_class_count_end
    .hidden assay_class_count
    .hidden assay_class_count_end
assay_class_count:
    .incbin "count/java/lang/AssayCounter.class"
assay_class_count_end:
    .global assay_class_probe
    .global assay_class_probe_end
    .hidden assay_class_probe
    .hidden assay_class_probe_end
assay_class_probe:
    .incbin "probe/java/lang/AssayProbe.class"
assay_class_probe_end:
    .global assay_class_guards
    .global assay_class_guards_end
    .hidden assay_class_guards
    .hidden assay_class_guards_end
assay_class_guards:
    .incbin "guards/java/lang/AssayGuards.class"
assay_class_guards_end:
    .section .note.GNU-stack,"",@progbits
