// The way from a diverted VM stub to a hook and back. Both save every register in which HotSpot's
// compiled code can have a live value there; the C++ hooks keep the callee-saved ones.
//
// assay_entry_trampoline stands in for the first instruction (push -1) of method_entry_barrier, which
// itself saves the integer registers and the lower 128 bits of xmm0-7: Java arguments are at most
// doubles in xmm0-7, all other vector registers are dead at a method's entry. The hook returns non-zero
// to go straight back to the compiled method, zero to run the VM's stub.
//
// assay_return_trampoline stands in for push rbp; mov rbp, rsp; pushf of the return handler. Live are
// the result (rax or xmm0) and what the caller's frame holds; rdx and xmm1 are saved for good measure.
    .text
    .macro SAVE_INTEGERS
    push %rax
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    push %rbx
    mov %rsp, %rbx
    .endm
    .macro RESTORE_INTEGERS
    mov %rbx, %rsp
    pop %rbx
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rax
    .endm
    .set kSaved, 80

    .globl assay_entry_trampoline
    .hidden assay_entry_trampoline
    .type assay_entry_trampoline, @function
    .p2align 5
assay_entry_trampoline:
    SAVE_INTEGERS
    sub $128, %rsp
    and $-16, %rsp
    movaps %xmm0, 0(%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    lea kSaved(%rbx), %rdi        // where the return address into the method is
    mov %r15, %rsi                // the thread
    call assay_entry_hook
    test %eax, %eax               // neither movaps nor pop nor mov changes the flags
    movaps 0(%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    RESTORE_INTEGERS
    jz 1f
    ret
1:  push $-1
    jmp *assay_entry_resume(%rip)
    .size assay_entry_trampoline, . - assay_entry_trampoline

    .globl assay_return_trampoline
    .hidden assay_return_trampoline
    .type assay_return_trampoline, @function
    .p2align 5
assay_return_trampoline:
    SAVE_INTEGERS
    sub $32, %rsp
    and $-16, %rsp
    movaps %xmm0, 0(%rsp)
    movaps %xmm1, 16(%rsp)
    lea kSaved(%rbx), %rdi        // where the return address into the caller is
    mov %r15, %rsi
    mov %rbp, %rdx                // the caller's frame pointer: the method's frame is gone
    call assay_return_hook
    test %eax, %eax
    movaps 0(%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    RESTORE_INTEGERS
    jz 1f
    ret
1:  push %rbp
    mov %rsp, %rbp
    pushf
    jmp *assay_return_resume(%rip)
    .size assay_return_trampoline, . - assay_return_trampoline

    .section .note.GNU-stack, "", @progbits
