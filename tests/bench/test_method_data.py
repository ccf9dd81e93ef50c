"""The JVM's own invocation counters: the text it prints, and a program that is counted exactly."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from assay_test import compile_java, each_jdk, java
from peers import method_data

TEXT = """checksum d2fbcd3df57bf88
------------------------------------------------------------------------
app.Main::work()V
  interpreter_invocation_count:     3000000
  invocation_counter:               3000000
  backedge_counter:                       0
  decompile_count:                        0
  mdo size: 264 bytes

   0 fast_aload_0
  53 invokevirtual 52 <app/Main.other()V>
  88   bci: 53   VirtualCallData    count(2998527) entries(0)
------------------------------------------------------------------------
app.Main::work(I)V
  interpreter_invocation_count:           7
  invocation_counter:                     7
------------------------------------------------------------------------
static app.Main::<clinit>()V
  interpreter_invocation_count:           1
  invocation_counter:                     1
------------------------------------------------------------------------
Total MDO size: 1234 bytes
"""


class MethodData(unittest.TestCase):
    def test_the_printed_text(self):
        self.assertEqual(method_data.parse(TEXT), {"app.Main::work": 3000007, "app.Main::<clinit>": 1})

    @each_jdk()
    def test_a_program_is_counted_exactly(self, jdk):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "Counted.java"
            source.write_text("public class Counted { static int s; static void f(int i) { s += g(i); }"
                              " static int g(int i) { return i & 3; }"
                              " public static void main(String[] a) { for (int i = 0; i < 1234567; i++) f(i); } }")
            classes = compile_java([source], out=folder)
            counts = method_data.count([java(jdk), "-cp", classes, "Counted"])
        self.assertEqual({m: counts.get(f"Counted::{m}") for m in "fg"}, {"f": 1234567, "g": 1234567})


if __name__ == "__main__":
    unittest.main()
