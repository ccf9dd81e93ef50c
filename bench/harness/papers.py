"""The papers' own figures, to stand beside ours. P0: counter-based sampling (CGO 2005); P1: adaptive
correction; P2: instrumentation sampling (PLDI 2001); P3: Komorium; P4: partial calling context tree."""

OVERHEAD = """The papers' figures: P0 0.2 to 0.5 % (Jikes RVM, J9); P1 0.2 %; P2 6.3 % at interval 1,000 (3.0 % with
the VM's yieldpoints removed); P3 47 to 56 % at granularity 10,000; P4 2 to 4 %.
"""

ACCURACY = """The papers' figures: P0 timer only 38 % (Jikes RVM) and 37 % (J9), counter-based 62 % (16, 3) and 64 %
(16, 7); P1 61 % uncorrected (8, 2), 71 % with density, 72 % with density and latency; P2 94 % (call edges)
at interval 1,000; P3 more than 90 % (contexts) at granularity 10,000.
"""

# (label, overhead %, accuracy %) for the plot of accuracy against overhead.
POINTS = [
    ("P0 timer, Jikes", 0.0, 38), ("P0 timer, J9", 0.1, 37), ("P0 (16,3) Jikes", 0.2, 62),
    ("P0 (16,7) J9", 0.3, 64), ("P0 (32,7) J9", 0.5, 69), ("P1 uncorrected (8,2)", 0.2, 61),
    ("P1 corrected (8,2)", 0.2, 72), ("P1 (32,3) uncorrected", 1.0, 66), ("P2 interval 1,000", 6.3, 94),
    ("P2 interval 1,000, VM-specific", 3.0, 94), ("P3 granularity 10,000 (contexts)", 51.5, 90),
]

# P0 Table 2A (Jikes RVM) and 2B (J9), the cells of our sweep: (samples, stride) -> "overhead/accuracy".
TABLE2_JIKES = {
    1: {1: "-0.1/38", 3: "-0.1/37", 7: "0.1/42", 31: "0.1/47"},
    8: {1: "0.0/54", 3: "-0.1/58", 7: "0.0/61", 31: "0.3/64"},
    16: {1: "0.1/59", 3: "0.2/63", 7: "0.3/65", 31: "0.8/67"},
    32: {1: "0.0/62", 3: "0.3/66", 7: "0.4/67", 31: "1.6/69"},
    128: {1: "0.6/68", 3: "1.0/69", 7: "1.9/71", 31: "6.5/73"},
    512: {1: "1.9/70", 3: "4.3/71", 7: "7.7/74", 31: "32.2/78"},
}
TABLE2_J9 = {
    1: {1: "0.1/37", 3: "0.3/42", 7: "0.2/44", 31: "0.1/46"},
    8: {1: "0.4/58", 3: "0.3/59", 7: "0.1/60", 31: "0.3/62"},
    16: {1: "0.5/62", 3: "0.2/63", 7: "0.3/64", 31: "0.2/66"},
    32: {1: "0.4/65", 3: "0.5/66", 7: "0.5/69", 31: "0.8/72"},
    128: {1: "1.2/70", 3: "1.0/72", 7: "1.1/73", 31: "1.6/79"},
    512: {1: "3.2/74", 3: "3.3/76", 7: "3.6/80", 31: "5.7/86"},
}

# P0 Table 3, the averages: overhead/accuracy of the timers of Jikes RVM and J9, of (16, 3) in Jikes RVM, of (16, 7) in J9.
TABLE3 = [["paper: average small", "", "0.0/26, 0.0/27", "0.3/55", "0.2/51", ""],
          ["paper: average large", "", "0.0/50, 0.2/46", "0.0/69", "0.4/74", ""],
          ["paper: average of all", "", "0.0/38, 0.1/37", "0.2/62", "0.3/64", ""]]

# P2 Table 4, Full-Duplication: interval -> (total overhead %, call-edge %, field-access %).
P2_TABLE4 = {1: (182.2, 100, 100), 10: (29.3, 99, 100), 100: (10.3, 98, 99), 1000: (6.3, 94, 97),
             10000: (5.1, 82, 94), 100000: (5.0, 71, 83)}
P2_TABLE4_NONE = {1: (269.1, 100, 100), 10: (79.5, 98, 100), 100: (61.3, 97, 99), 1000: (57.2, 93, 98),
                  10000: (55.7, 81, 96), 100000: (55.2, 70, 87)}
