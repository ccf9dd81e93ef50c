"""--collect exact on a program whose counts are known, and on real ones."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from assay_test import AGENT, ASSAY, JDKS, assay, compile_java, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).parent


def profile_of(version, *command, options=(), check=True, **more):
    path = tempfile.mktemp(suffix=".profile")
    result = assay("run", "--collect", "exact", "-o", path, *options, "--", java(version), *command,
                   check=check, **more)
    return result, path


class KnownCounts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Known.java"])

    @each_jdk()
    def test_every_count_is_the_known_one(self, version):
        plain = run(java(version), "-cp", self.classes, "Known")
        result, path = profile_of(version, "-Xverify:all", "-cp", self.classes, "Known")
        self.assertEqual(result.stdout, plain.stdout)
        edges = show_json(path)["edges"]
        checked = 0
        for line in plain.stdout.splitlines():
            words = line.split()
            if words[0] == "callee":
                found = sum(e["weight"] for e in edges if e["callee"] == words[1])
            elif words[0] == "edge":
                found = sum(e["weight"] for e in edges
                            if e["caller"] == words[1] and e["callee"] == words[2])
            elif words[0] == "native":
                found = sum(e["weight"] for e in edges
                            if e["caller"] == words[1] and e["callee"].startswith(words[2] + "("))
            else:
                continue
            self.assertEqual(found, int(words[-1]), line)
            checked += 1
        self.assertGreater(checked, 30)

    @each_jdk()
    def test_every_site_is_a_call_instruction_of_the_original_code(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known")
        listing = run(java(version, "javap"), "-c", "-p", "-s", "-cp", self.classes, "Known").stdout
        sites, method = {}, None
        for line in listing.splitlines():
            if match := re.match(r"  \S.* (\S+)\(.*\).*;$", line):
                method = match[1]
            elif "static {}" in line:
                method = "<clinit>"
            elif match := re.match(r"    descriptor: (\S+)", line):
                current = f"Known.{method}{match[1]}"
            elif match := re.match(r"\s+(\d+): invoke(\w+)", line):
                sites.setdefault(current, set()).add(int(match[1]))
        checked = 0
        for edge in show_json(path)["edges"]:
            if edge["caller"].startswith("Known.") and "<init>" not in edge["caller"]:
                self.assertIn(edge["bci"], sites[edge["caller"]], edge)
                checked += 1
        self.assertGreater(checked, 40)

    @each_jdk()
    def test_exit_status_and_output_are_the_programs_own(self, version):
        result, path = profile_of(version, "-cp", self.classes, "Known", "7", check=False)
        self.assertEqual(result.returncode, 7)
        self.assertGreater(len(show_json(path)["edges"]), 100)

    @each_jdk()
    def test_contexts_add_up_to_edges(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known", options=["--include", "Known*"])
        by_callee = {}
        for edge in show_json(path)["edges"]:
            by_callee[edge["callee"]] = by_callee.get(edge["callee"], 0) + edge["weight"]
        contexts = {}
        for context in show_json(path, "contexts")["contexts"]:
            leaf = context["stack"][-1]
            contexts[leaf] = contexts.get(leaf, 0) + context["calls"]
        for callee in ("Known.fib(I)I", "Known.thrower(I)V", "Known.f(I)I"):
            self.assertEqual(contexts[callee], by_callee[callee])

    @each_jdk()
    def test_bytecodes_are_those_that_were_executed(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known", options=["--include", "Known*"])
        bytecodes = collections.Counter()
        for context in show_json(path, "contexts")["contexts"]:
            bytecodes[context["stack"][-1]] += context["bytecodes"]
        # iload_0 iconst_1 iadd ireturn
        self.assertEqual(bytecodes["Known.f(I)I"], 4 * 2050)
        # Never returns: up to the call (6), or up to the athrow (7).
        self.assertEqual(bytecodes["Known.thrower(I)V"], 50 * (20 * 6 + 7))
        # iload_0 ifne iconst_0 goto ireturn, or iload_0 ifne iconst_1 iload_0 iconst_1 isub
        # invokestatic iadd ireturn
        self.assertEqual(bytecodes["Known.recursive(I)I"], 500 * 9 + 11 * 5)

    @each_jdk()
    def test_include_limits_what_is_rewritten(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known", options=["--include", "Known*"])
        callers = {e["caller"] for e in show_json(path)["edges"]}
        self.assertTrue(all(c.startswith(("Known", "<")) for c in callers), callers)


class Programs(unittest.TestCase):
    """Single programs that are hard on a shadow stack."""

    @each_jdk()
    def test_a_method_too_large_for_probes_keeps_its_callees(self, version):
        calls = 7000
        source = pathlib.Path(tempfile.mkdtemp()) / "Large.java"
        source.write_text(
            "public class Large {\n"
            "  static int n; static void a() { n++; } static void b() { a(); if (n < 0) return; throw new RuntimeException(); }\n"
            "  static void large() {\n" + "    a();\n" * calls
            + "    try { b(); } catch (RuntimeException e) { a(); }\n  }\n"
            "  Large() {\n" + "    a();\n" * calls + "  }\n"
            "  public static void main(String[] x) { for (int i = 0; i < 3; i++) large(); new Large(); System.out.println(n); }\n}\n")
        result, path = profile_of(version, "-Xverify:all", "-cp", compile_java([source]), "Large",
                                  options=["--include", "Large"])
        self.assertEqual(result.stdout, f"{3 * (calls + 2) + calls}\n")
        shown = show_json(path)
        counts = {(e["caller"], e["callee"]): e["weight"] for e in shown["edges"]}
        self.assertEqual(counts[("Large.main([Ljava/lang/String;)V", "Large.large()V")], 3)
        self.assertEqual(counts[("Large.large()V", "Large.a()V")], 3 * (calls + 1))
        self.assertEqual(counts[("Large.large()V", "Large.b()V")], 3)
        self.assertEqual(counts[("Large.<init>()V", "Large.a()V")], calls)
        self.assertEqual(counts[("Large.b()V", "Large.a()V")], 3)
        sites = {e["bci"] for e in shown["edges"] if e["caller"] == "Large.large()V"}
        self.assertEqual(sites, {-1})
        self.assertIn("Large.large()V", json.dumps(show_json(path, "skipped")))

    @each_jdk()
    def test_stack_overflow_leaves_the_count_right(self, version):
        classes = compile_java([HERE / "Overflow.java"])
        result, path = profile_of(version, "-cp", classes, "Overflow")
        self.assertEqual(result.stdout, "survived 6\n")
        edges = collections.Counter()
        for edge in show_json(path)["edges"]:
            edges[edge["caller"], edge["callee"]] += edge["weight"]
        main = "Overflow.main([Ljava/lang/String;)V"
        self.assertEqual(edges[main, "Overflow.after(I)I"], 6)
        self.assertEqual(edges["Overflow.after(I)I", "Overflow.leaf(I)I"], 6)
        self.assertEqual(edges[main, "Overflow.overflow(I)I"], 3)
        self.assertEqual(edges[main, "Overflow$Derived.<init>(I)V"], 3)

    # The handler of `synchronized` covers itself: a probe in it that found no room led back to it, for ever.
    @each_jdk()
    def test_a_stack_overflow_under_a_monitor_comes_to_an_end(self, version):
        classes = compile_java([HERE / "Monitors.java"])
        for options in (["--include", "Monitors*"], []):
            result, _ = profile_of(version, "-Xverify:all", "-cp", classes, "Monitors", options=options)
            self.assertEqual(result.stdout, "done\n")

    @each_jdk()
    def test_calls_of_what_is_not_rewritten_count_if_they_return_or_throw(self, version):
        classes = compile_java([HERE / "Unseen.java"])
        result, path = profile_of(version, "-Xverify:all", "-cp", classes, "Unseen", options=["--include", "Unseen", "--include", "Unseen$Failing"])
        self.assertEqual(result.stdout, "50\n")
        edges = collections.Counter()
        for edge in show_json(path)["edges"]:
            edges[edge["caller"].split("(")[0], edge["callee"].split("(")[0]] += edge["weight"]
        self.assertEqual(edges["Unseen.construct", "Unseen$Other.<init>"], 20)
        self.assertEqual(edges["Unseen.construct", "Unseen$Derived.<init>"], 10)
        self.assertEqual(edges["Unseen.copyTooMuch", "java.lang.System.arraycopy"], 10)
        self.assertEqual(edges["Unseen.copyTooMuchAndLeave", "java.lang.System.arraycopy"], 10)
        # The receiver was null in half of the cases.
        self.assertEqual(edges["Unseen.notify", "java.lang.Object.notify"], 10)
        self.assertEqual(edges["Unseen.callNever", "Unseen$Failing.never"], 0)
        self.assertEqual(edges["<vm>", "Unseen$Failing.<clinit>"], 1)

    @each_jdk()
    def test_a_super_constructor_that_is_not_rewritten_counts(self, version):
        classes = compile_java([HERE / "Unseen.java"])
        _, path = profile_of(version, "-Xverify:all", "-cp", classes, "Unseen", options=["--include", "Unseen", "--include", "Unseen$Derived"])
        edges = [e for e in show_json(path)["edges"] if e["caller"] == "Unseen$Derived.<init>(I)V"]
        self.assertEqual([(e["callee"], e["weight"]) for e in edges], [("Unseen$Other.<init>(I)V", 10)])

    @each_jdk()
    def test_a_trace_of_a_stack_overflow_shows_the_program_only(self, version):
        classes = compile_java([HERE / "OverflowTraces.java"])
        plain = run(java(version), "-cp", classes, "OverflowTraces")
        for options in (["--collect", "exact"], ["--collect", "sampled", "--interval", "10"], ["--collect", "bytecodes"]):
            result = assay("run", *options, "-o", tempfile.mktemp(suffix=".profile"), "--", java(version), "-cp", classes, "OverflowTraces")
            # What probes call in the JDK has frames like everybody's.
            shown = [line for line in result.stdout.splitlines() if not line.startswith("java.base/jdk.internal.misc.Unsafe.")]
            if options[1] == "bytecodes":
                shown = [line for line in shown if line.startswith("OverflowTraces.")]
            self.assertLessEqual(set(shown), set(plain.stdout.splitlines()), options)

    @each_jdk()
    def test_objects_with_an_empty_finalizer_are_not_kept_for_it(self, version):
        classes = compile_java([HERE / "EmptyFinalizer.java"])
        for options in (["--collect", "exact"], ["--collect", "bytecodes"], ["--collect", "sampled", "--interval", "10"],
                        ["--via", "probe"]):
            result = assay("run", *options, "-o", tempfile.mktemp(suffix=".profile"), "--", java(version), "-cp", classes, "EmptyFinalizer")
            self.assertEqual(result.stdout, "gone after one collection: true\n", options)

    def made_by_hand(self):
        newest = max(JDKS)
        if newest < 24:
            self.skipTest("needs a JDK with java.lang.classfile")
        folder = tempfile.mkdtemp()
        run(java(newest, "javac"), "-d", folder, HERE / "MadeByHand.java")
        run(java(newest), "-cp", folder, "MadeByHand", folder)
        return folder

    # It had a handler whose frame said that `this` was where it is no more.
    @each_jdk()
    def test_a_constructor_that_moves_this_verifies(self, version):
        classes = self.made_by_hand()
        result, _ = profile_of(version, "-Xverify:all", "-cp", classes, "ThisMoved")
        self.assertEqual(result.stdout, "caught\n")
        for collector in ("bytecodes", "sampled"):
            path = tempfile.mktemp(suffix=".profile")
            result = assay("run", "--collect", collector, "-o", path, "--", java(version), "-Xverify:all", "-cp", classes, "ThisMoved")
            self.assertEqual(result.stdout, "caught\n", collector)
        out = tempfile.mkdtemp() + "/classes"
        assay("rewrite", classes, "-o", out)
        result = run(java(version), f"-Dassay.output={tempfile.mktemp(suffix='.profile')}", "-Xverify:all", "-cp", out, "ThisMoved")
        self.assertEqual(result.stdout, "caught\n")

    # Its probes went on with a frame that had ended, and counted what was executed below it once more.
    @each_jdk()
    def test_an_activation_whose_return_throws_ends_once(self, version):
        classes = self.made_by_hand()
        result, path = profile_of(version, "-Xverify:all", "-cp", classes, "ReturnThrows", options=["--include", "ReturnThrows"])
        self.assertEqual(result.stdout, "-1000\n")
        bytecodes = collections.Counter()
        for context in show_json(path, "contexts")["contexts"]:
            bytecodes[context["stack"][-1].split("(")[0]] += context["bytecodes"]
        self.assertEqual(bytecodes["ReturnThrows.main"], 4 + 1000 * 8 + 4)
        self.assertEqual(bytecodes["ReturnThrows.caller"], 1000 * 4)

    @each_jdk()
    def test_traces_and_reflection_are_those_of_the_original(self, version):
        classes = compile_java([HERE / "Traces.java"])
        plain = run(java(version), "-cp", classes, "Traces")
        result, _ = profile_of(version, "-Xverify:all", "-cp", classes, "Traces")
        self.assertEqual(result.stdout, plain.stdout)
        self.assertIn("Traces.divide:10", plain.stdout)

    @each_jdk(versions=(25,))
    def test_virtual_threads(self, version):
        classes = tempfile.mkdtemp()
        run(java(version, "javac"), "-d", classes, HERE / "Virtual.java")
        result, path = profile_of(version, "-cp", classes, "Virtual")
        self.assertEqual(result.stdout, "done\n")
        edges = collections.Counter()
        for edge in show_json(path)["edges"]:
            edges[edge["caller"], edge["callee"]] += edge["weight"]
        self.assertEqual(edges["Virtual.outer(I)V", "Virtual.inner(I)V"], 1000)
        self.assertEqual(edges["Virtual.inner(I)V", "Virtual.leaf(I)I"], 1000)

    # What the VM links a call to has no frame between: it was counted once for the site and once for the VM.
    @each_jdk()
    def test_calls_through_handles_belong_to_their_site_and_count_once(self, version):
        classes = compile_java([HERE / "Handles.java"])
        plain = run(java(version), "-cp", classes, "Handles")
        result, path = profile_of(version, "-cp", classes, "Handles")
        self.assertEqual(result.stdout, plain.stdout)
        edges = show_json(path)["edges"]
        into, out_of = collections.Counter(), collections.Counter()
        for edge in edges:
            into[edge["callee"].split("(")[0]] += edge["weight"]
            out_of[edge["caller"].split("(")[0], edge["callee"].split("(")[0]] += edge["weight"]
            if edge["weight"] >= 1000:
                self.assertNotIn(edge["caller"], ("<vm>", "<native>"), edge)
                self.assertNotEqual(edge["callee"], "<not rewritten>", edge)
                self.assertNotRegex(edge["callee"], r"MethodHandle\.(linkTo|invoke)|VarHandle\.compareAndSet", edge)
        self.assertEqual(into["Handles.handled"], 1000)
        guards = {callee for _, callee in out_of if ".VarHandleGuards.guard_" in callee}
        self.assertEqual(sum(out_of["Handles.byVariable", guard] for guard in guards), 1000)
        self.assertEqual(sum(out_of["java.util.concurrent.atomic.AtomicReference.compareAndSet", guard] for guard in guards), 1000)
        linked = "java.lang.invoke.Invokers$Holder.linkToTargetMethod"
        self.assertEqual((out_of["Handles.byConcatenation", linked], out_of["Handles.byLambda", linked]), (1000, 1000))
        self.assertEqual(out_of["java.util.Optional.map", "Handles.lambda$byLambda$0"], 1000)
        # What the variable handles do first, once each.
        checks = [c for c in into if c.startswith("java.lang.invoke.VarHandle.check")]
        self.assertEqual(sum(out_of[guard, check] for guard in guards for check in checks), sum(into[check] for check in checks))

    @each_jdk()
    def test_native_code_calling_back_has_its_own_name(self, version):
        classes = compile_java([HERE / "Known.java"])
        _, path = profile_of(version, "-Djdk.reflect.useNativeAccessorOnly=true",
                             "-Dsun.reflect.inflationThreshold=1000000", "-cp", classes, "Known")
        weights = {e["caller"]: e["weight"] for e in show_json(path)["edges"]
                   if e["callee"] == "Known.reflected(I)I"}
        self.assertEqual(weights, {"<native>": 60})
        callers = {e["caller"] for e in show_json(path)["edges"]
                   if e["callee"].endswith(".<clinit>()V")}
        self.assertEqual(callers, {"<vm>"})

    @each_jdk()
    def test_collectors_of_garbage_do_not_matter(self, version):
        classes = compile_java([HERE / "Known.java"])
        expected = None
        for flags in (["-XX:+UseSerialGC"], ["-XX:+UseParallelGC"], ["-XX:+UseZGC"],
                      ["-XX:+UseShenandoahGC"], ["-Xint"], ["-Xcomp", "-XX:TieredStopAtLevel=1"]):
            result, path = profile_of(version, *flags, "-cp", classes, "Known",
                                      options=["--include", "Known*"])
            found = sorted((e["caller"], e["bci"], e["callee"], e["weight"])
                           for e in show_json(path)["edges"]
                           if e["callee"].startswith("Known") and not e["caller"].startswith("<"))
            expected = expected or found
            self.assertEqual(found, expected, flags)


class Attached(unittest.TestCase):
    """A JVM that already runs."""

    def start(self, version):
        classes = compile_java([HERE / "Forever.java"])
        marker = tempfile.NamedTemporaryFile(delete=False)
        process = subprocess.Popen([java(version), "-cp", classes, "Forever", marker.name],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process, marker.name

    @each_jdk()
    def test_attaching_while_classes_of_other_modules_are_loaded(self, version):
        """The VM runs Java code in the middle of loading the first class of a module that is changed; it used to find itself there."""
        classes = compile_java([HERE / "Loading.java"])
        names = pathlib.Path(tempfile.mktemp(suffix=".names"))
        names.write_text(run(java(version), "-cp", classes, "Loading", "list").stdout)
        for options in 2 * (("--collect", "exact"), ("--via", "probe")):
            process = subprocess.Popen([java(version), "-cp", classes, "Loading", str(names)],
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), "ready\n")
            assay("attach", process.pid, *options, "-o", tempfile.mktemp(suffix=".profile"), check=False)
            rest = process.communicate(timeout=120)[0]
            self.assertIn("exported false", rest)
            self.assertEqual(process.returncode, 0, rest)

    @each_jdk()
    def test_attach_and_detach_repeatedly(self, version):
        process, marker = self.start(version)
        for round_number in range(2):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", process.pid, "--collect", "exact", "-o", path)
            time.sleep(0.5)
            assay("detach", process.pid)
            edges = {(e["caller"], e["bci"], e["callee"]): e["weight"]
                     for e in show_json(path)["edges"] if e["caller"] == "Forever.step(I)I"}
            self.assertEqual(len(edges), 2)
            first, second = sorted(edges.values())
            self.assertGreater(first, 100)
            # The thread may stand between the two calls when the snapshot is taken.
            self.assertLessEqual(second - first, 1)
            self.assertEqual(assay("detach", process.pid, check=False).returncode, 3)
        os.unlink(marker)
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, "ended\n")
        # JDK 21 and newer warn about every agent loaded late, whatever it does.
        self.assertEqual([line for line in err.splitlines() if not line.startswith("WARNING:")], [])
        self.assertEqual(process.returncode, 0)

    @each_jdk()
    def test_a_killed_program_loses_at_most_the_last_flush(self, version):
        classes = compile_java([HERE / "Forever.java"])
        marker = tempfile.NamedTemporaryFile(delete=False)
        path = tempfile.mktemp(suffix=".profile")
        process = subprocess.Popen(
            [str(c) for c in (ASSAY, "run", "--collect", "exact", "-o", path,
                              "--flush", "100ms", "--", java(version), "-cp", classes, "Forever",
                              marker.name)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        deadline = time.time() + 60
        while time.time() < deadline:
            shown = assay("show", path, "--by", "edges", "--json", "--top", "0", check=False)
            if shown.returncode == 0 and "Forever.half(I)I" in shown.stdout:
                break
            time.sleep(0.2)
        jvm = run("pgrep", "-P", process.pid).stdout.split()[0]
        os.kill(int(jvm), signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL)
        self.assertIn("Forever.half(I)I", {e["callee"] for e in show_json(path)["edges"]})


class BadInput(unittest.TestCase):
    def test_options_that_do_not_exist_or_do_not_apply(self):
        for options, word in ((["--collect", "nothing"], "collect"), (["--tick", "4"], "tick"),
                              (["--collect", "exact", "--stride", "7"], "does not apply")):
            result = assay("run", *options, "--", "java", "-version", check=False)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(word, result.stderr)

    def test_a_program_that_is_not_there(self):
        result = assay("run", "--", "/no/such/java", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/no/such/java", result.stderr)

    def test_a_process_that_is_no_jvm(self):
        result = assay("attach", os.getpid(), check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("not a HotSpot JVM", result.stderr)

    @each_jdk()
    def test_a_wrong_agent_string_leaves_the_program_alone(self, version):
        classes = compile_java([HERE / "Known.java"])
        for options, complaint in (("colect=exact", "unknown option 'colect'"),
                                   ("command=status", "command=status is for a JVM that runs already")):
            with tempfile.TemporaryDirectory() as folder:
                result = run(java(version), f"-agentpath:{AGENT}={options}", "-cp", classes, "Known", cwd=folder)
                self.assertEqual(os.listdir(folder), [], "no profile was made")
            self.assertIn(complaint, result.stderr)
            self.assertIn("switches", result.stdout)
