// Where trampoline.S finds what it reads and writes: plain numbers, because the assembler knows no structures. hooks.cc
// checks each of them against the structures themselves.
#pragma once

#define ASSAY_CELL_THREAD 0
#define ASSAY_CELL_SLOT 8
#define ASSAY_LOG2_CELL_BYTES 4
#define ASSAY_HOME_FACTOR 0x9e3779b97f4a7c15
#define ASSAY_HOME_SHIFT 48

#define ASSAY_SLOT_TICK_NUMBER 12
#define ASSAY_SLOT_BURST_TICK 384
#define ASSAY_SLOT_SKIP 392
#define ASSAY_SLOT_EVENTS 508

#define ASSAY_STATE_CELLS 0
#define ASSAY_STATE_ENTRY_DISPLACEMENT 8
#define ASSAY_STATE_POLL_DISPLACEMENT 16
#define ASSAY_STATE_ENTRY_CHECK 24
#define ASSAY_STATE_COUNTS_RETURNS 28
#define ASSAY_STATE_ENTRY_RESUME 32
#define ASSAY_STATE_RETURN_RESUME 40

#define ASSAY_ENTRY_MARK_BIT 30
#define ASSAY_RETURN_MARK 2
