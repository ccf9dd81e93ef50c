// The built pages as they are in assets/.
    .section .rodata
    .global assay_report_page
    .global assay_report_page_end
assay_report_page:
    .incbin ASSAY_REPORT_PAGE
assay_report_page_end:
    .byte 0
    .global assay_live_page
    .global assay_live_page_end
assay_live_page:
    .incbin ASSAY_LIVE_PAGE
assay_live_page_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
