// The way from a diverted VM stub to a hook and back. Both save every register in which HotSpot's
// compiled code can have a live value there; the C++ hooks keep the callee-saved ones.
//
// Three of four calls of a burst are only counted: those between two samples, and the tail, which times the burst. They never get to a
// hook: the trampolines do for them what the hooks would (hooks.cc: the same checks in the same order of trust, nothing that a hook
// would not go on to do), in a third of the time. Whatever is not exactly as expected goes to the hook. The less counting costs, the
// less of a burst's time is ours and has to be guessed and taken off (docs/05-estimation.md).
//
// assay_entry_trampoline stands in for the first instruction (push -1) of method_entry_barrier, which
// itself saves the integer registers and the lower 128 bits of xmm0-7: Java arguments are at most
// doubles in xmm0-7, all other vector registers are dead at a method's entry. The hook returns non-zero
// to go straight back to the compiled method, zero to run the VM's stub.
//
// assay_return_trampoline stands in for push rbp; mov rbp, rsp; pushf of the return handler. Live are
// the result (rax or xmm0) and what the caller's frame holds; rdx and xmm1 are saved for good measure.
#include "src/sampling/trampoline_layout.h"

    .text
    // The slot of the thread in r15 to r10, if a burst is under way in it and passes this call by; else to 9. Takes rax and rcx.
    .macro FIND_PASSING
    mov %r15, %rax
    shr $4, %rax
    movabs $ASSAY_HOME_FACTOR, %rcx
    imul %rcx, %rax
    shr $ASSAY_HOME_SHIFT, %rax
    shl $ASSAY_LOG2_CELL_BYTES, %rax
    add assay_trampolines + ASSAY_STATE_CELLS(%rip), %rax
    cmp %r15, ASSAY_CELL_THREAD(%rax)
    jne 9f
    mov ASSAY_CELL_SLOT(%rax), %r10
    mov ASSAY_SLOT_TICK_NUMBER(%r10), %eax
    cmp ASSAY_SLOT_BURST_TICK(%r10), %eax
    jne 9f
    cmpl $1, ASSAY_SLOT_SKIP(%r10)
    jbe 9f
    .endm
    .macro COUNT_PASSING
    decl ASSAY_SLOT_SKIP(%r10)
    incl ASSAY_SLOT_EVENTS(%r10)
    .endm

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
    push %rax
    push %rcx
    push %r10
    push %r11
    FIND_PASSING
    mov assay_trampolines + ASSAY_STATE_ENTRY_DISPLACEMENT(%rip), %rax
    mov (%r15,%rax), %r11d
    btr $ASSAY_ENTRY_MARK_BIT, %r11d
    jnc 9f
    mov 32(%rsp), %rax            // the return address into the method: ImmediateOfEntryCheck (code_shapes.h) from here to 3
    mov assay_trampolines + ASSAY_STATE_ENTRY_CHECK(%rip), %ecx
    cmp %ecx, -15(%rax)
    jne 2f
    movzwl -7(%rax), %ecx
    cmp $0x0574, %ecx
    jne 2f
    mov -11(%rax), %ecx
    jmp 3f
2:  cmpb $0xe9, (%rax)
    jne 9f
    movslq 1(%rax), %rcx
    lea 5(%rax,%rcx), %rax
    mov assay_trampolines + ASSAY_STATE_ENTRY_CHECK(%rip), %ecx
    cmp %ecx, -14(%rax)
    jne 9f
    movzwl -6(%rax), %ecx
    cmp $0x850f, %ecx
    jne 9f
    mov -10(%rax), %ecx
3:  cmp %ecx, %r11d               // what the compiled code would have found without our mark
    jne 9f
    COUNT_PASSING
    pop %r11
    pop %r10
    pop %rcx
    pop %rax
    ret
9:  pop %r11
    pop %r10
    pop %rcx
    pop %rax
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
    jmp *assay_trampolines + ASSAY_STATE_ENTRY_RESUME(%rip)
    .size assay_entry_trampoline, . - assay_entry_trampoline

    .globl assay_return_trampoline
    .hidden assay_return_trampoline
    .type assay_return_trampoline, @function
    .p2align 5
assay_return_trampoline:
    push %rax
    push %rcx
    push %r10
    FIND_PASSING
    cmpl $0, assay_trampolines + ASSAY_STATE_COUNTS_RETURNS(%rip)
    je 9f
    mov assay_trampolines + ASSAY_STATE_POLL_DISPLACEMENT(%rip), %rax
    cmpq $ASSAY_RETURN_MARK, (%r15,%rax)
    jne 9f
    COUNT_PASSING
    pop %r10
    pop %rcx
    pop %rax
    ret
9:  pop %r10
    pop %rcx
    pop %rax
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
    jmp *assay_trampolines + ASSAY_STATE_RETURN_RESUME(%rip)
    .size assay_return_trampoline, . - assay_return_trampoline

    .section .note.GNU-stack, "", @progbits
