// The built report page as it is in assets/.
    .section .rodata
    .global assay_report_page
    .global assay_report_page_end
assay_report_page:
    .incbin ASSAY_REPORT_PAGE
assay_report_page_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
