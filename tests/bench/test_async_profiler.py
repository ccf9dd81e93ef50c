"""async-profiler without its binary: where it is looked for, its command line, and its recordings as call graphs."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import async_recording
from assay_test import ROOT, each_jdk, run
from harness import configs, graph
from peers import async_profiler, jfr
import registry

JIT, INLINED, NATIVE, CPP, KERNEL = 1, 2, 3, 4, 5
MAIN, WORK = ("app/Main", "main", "([Ljava/lang/String;)V"), ("app/Main", "work", "(I)I")
COPY = ("java/lang/System", "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V")
START = [(("libjvm.so", "JavaCalls::call_helper", "()L;"), 0, CPP), (("libc.so.6", "start_thread", "()L;"), 0, NATIVE)]


class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_it_is_found_in_a_release_in_a_built_source_tree_and_by_its_own_path(self):
        for place in ("release/lib", "source/build/lib", "flat"):
            file = self.folder / place / async_profiler.LIBRARY
            file.parent.mkdir(parents=True)
            file.touch()
            self.assertEqual(async_profiler.library(self.folder / place.split("/")[0]), file)
            self.assertEqual(async_profiler.library(file), file)

    def test_a_wrong_path_is_said(self):
        (self.folder / "asprof").touch()
        for path, what in ((self.folder, "no libasyncProfiler.so there"), (self.folder / "asprof", "not a folder"),
                           (self.folder / "nowhere", "no libasyncProfiler.so there")):
            with self.assertRaisesRegex(async_profiler.WrongPath, what):
                async_profiler.library(path)

    def test_a_command_with_a_wrong_path_ends_with_one_line(self):
        for command in ("accuracy", "overhead"):
            result = run(sys.executable, ROOT / f"bench/{command}/run.py", "--config", "async-1ms", check=False,
                         env={**os.environ, "ASYNC_PROFILER": str(self.folder)})
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stderr.strip(), f"ASYNC_PROFILER={self.folder}: no libasyncProfiler.so there")


class Configurations(unittest.TestCase):
    NAMES = ["base", "async-10ms", "async-1ms", "async-calls"]

    def test_without_the_variable_they_are_skipped_and_the_table_says_so(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("ASYNC_PROFILER", None)
            usable, left_out = configs.available(configs.pick(self.NAMES))
            self.assertEqual([c.name for c in usable], ["base"])
            self.assertEqual(configs.skipped(left_out).splitlines()[0],
                             "Skipped: async-profiler, CPU at 10 ms (ASYNC_PROFILER is not set).")
        self.assertEqual(configs.skipped([]), "")

    def test_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, ASYNC_PROFILER=folder):
            library = pathlib.Path(folder) / async_profiler.LIBRARY
            library.touch()
            usable, left_out = configs.available(configs.pick(self.NAMES))
            self.assertEqual(([c.name for c in usable], left_out), (self.NAMES, []))
            out = configs.output(folder, usable[-1], 0)
            command = usable[-1].command(registry.WORKLOADS["figure1"], 17, "small", 1, out)
            self.assertIn(f"-agentpath:{library}=start,event=*.*,interval=1000,jfr,file={folder}/async-calls-0.jfr", command)


class Recording(unittest.TestCase):
    def convert(self, jdk, stacks):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.jfr"
            async_recording.write(path, stacks)
            return jfr.load(jfr.convert(path, jdk))

    @each_jdk()
    def test_a_cpu_recording(self, jdk):
        stacks = [[(WORK, 12, JIT), (MAIN, 20, INLINED), *START],
                  [(("[kernel]", "clear_page", "(Lk;)L;"), 0, KERNEL), (("libc.so.6", "memcpy", "()L;"), 0, NATIVE),
                   (COPY, 0, JIT), (WORK, 7, JIT), (MAIN, 20, JIT), *START],
                  [(MAIN, 3, JIT), *START],
                  [(("libjvm.so", "CompileBroker::compiler_thread_loop", "()L;"), 0, CPP), *START]]
        top, stack, samples = self.convert(jdk, stacks)
        main, work, copy = ("app.Main.main([Ljava/lang/String;)V", "app.Main.work(I)I",
                            "java.lang.System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V")
        self.assertEqual(samples, 4)
        self.assertEqual(top, {(main, 20, work): 1, (work, 7, copy): 1, ("<native>", 0, main): 1})
        self.assertEqual(stack, {(main, 20, work): 2, (work, 7, copy): 1, ("<native>", 0, main): 1})

    @each_jdk()
    def test_every_nth_call_has_the_call_sites_of_the_program_as_it_was(self, jdk):
        config = configs.CONFIGS["async-calls"]
        top, _, _ = self.convert(jdk, [[(WORK, 0, JIT), (MAIN, 24, JIT)]] * 3 + [[(WORK, 0, JIT), (COPY, 0, JIT)]])
        found = async_profiler.undo_entry(top, config.entry_bytes)
        truth = {("app.Main.main([Ljava/lang/String;)V", 20, "app.Main.work(I)I"): 3000}
        self.assertAlmostEqual(graph.overlap(truth, found), 75)
        self.assertEqual(found[next(e for e in found if "arraycopy" in e[0])], 1)
        self.assertEqual(sorted(e[1] for e in found), [0, 20])


if __name__ == "__main__":
    unittest.main()
