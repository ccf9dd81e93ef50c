"""Profiling agents in Java: the same class, unchanged, under the native agent and in a rewritten program."""
import pathlib
import subprocess
import tempfile
import unittest

from assay_test import assay, compile_java, each_jdk, java, run, show_json, BUILD, JDKS

HERE = pathlib.Path(__file__).parent
RUNTIME = BUILD / "assay-runtime.jar"
APPLICATION = ("--include", "Counted*")


class BothForms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-agent-"))
        cls.classes = compile_java([HERE / "Counted.java"])
        cls.rewritten = cls.folder / "classes"
        assay("rewrite", cls.classes, "-o", cls.rewritten)
        cls.agents = compile_java([HERE.parent / "rewrite" / "CountingAgent.java", HERE / "FailingAgent.java"],
                                  "-cp", str(RUNTIME))

    def portable(self, version, agent, *flags):
        return run(java(version), f"-Dassay.agent={agent}", *flags, "-cp", f"{self.rewritten}:{self.agents}",
                   "Counted")

    def native(self, version, agent, *flags, options=APPLICATION, path=None, **more):
        self.profile = tempfile.mktemp(suffix=".profile")
        return assay("run", "-q", "--collect", "bytecodes", "--agent", agent, *options, "-o", self.profile, "--",
                     java(version), *flags, "-cp", path or f"{self.classes}:{self.agents}", "Counted", **more)

    @each_jdk()
    def test_an_agent_sees_the_same_in_both_forms(self, version):
        portable = self.portable(version, "CountingAgent")
        native = self.native(version, "CountingAgent", "-Xverify:all")
        self.assertIn("Counted.fib(I)I=", portable.stderr)
        self.assertEqual((native.stdout, native.stderr), (portable.stdout, portable.stderr))
        # With the runtime on the class path there is nothing to add to it.
        again = self.native(version, "CountingAgent", path=f"{self.classes}:{self.agents}:{RUNTIME}")
        self.assertEqual(again.stderr, native.stderr)
        self.assertEqual(show_json(self.profile)["metadata"]["agent"], "CountingAgent")

    @each_jdk()
    def test_the_bundled_agent_writes_the_same_file_in_both_forms(self, version):
        """It leaves numbers of its own in the stack, and every thread counts."""
        files = [self.folder / f"{form}{version}" for form in ("portable", "native")]
        for run_it, file in zip((self.portable, self.native), files):
            run_it(version, "assay.runtime.ContextTreeAgent", f"-Dassay.output={file}", "-Dassay.granularity=500")
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    @each_jdk()
    def test_with_jdk_code_runs_are_alike_and_the_agents_own_work_does_not_count(self, version):
        results = [self.native(version, "CountingAgent", *flags, options=())
                   for flags in ((), ("-Xint", "-XX:+UseSerialGC"))]
        self.assertEqual(results[0].stderr, results[1].stderr)
        self.assertIn("java.util.", results[0].stderr)
        self.assertNotIn("CountingAgent", results[0].stderr)

    @each_jdk()
    def test_an_agent_in_a_jar_of_its_own(self, version):
        jar = self.folder / "agent.jar"
        run(java(min(JDKS), "jar"), "--create", "--file", jar, "-C", self.agents, ".")
        result = self.native(version, "CountingAgent", options=(*APPLICATION, "--agent-jar", jar), path=self.classes)
        self.assertEqual(result.stderr, self.native(version, "CountingAgent").stderr)

    @each_jdk()
    def test_an_agent_that_fails_is_the_same_in_both_forms_and_the_program_runs(self, version):
        results = [self.portable(version, "FailingAgent"), self.native(version, "FailingAgent"),
                   self.native(version, "FailingAgent", options=())]
        for result in results:
            self.assertEqual(result.stdout, results[0].stdout)
            self.assertIn("the agent failed on thread main: java.lang.IllegalStateException: tenth", result.stderr)
            self.assertIn("10 samples, 0 left", result.stderr)
            self.assertIn("java.lang.IllegalStateException: unwanted", result.stderr)

    @each_jdk()
    def test_an_agent_that_is_missing_is_said_and_the_program_runs(self, version):
        result = self.native(version, "Nowhere")
        self.assertIn("the agent Nowhere cannot be used: java.lang.ClassNotFoundException", result.stderr)
        self.assertEqual(result.stdout, run(java(version), "-cp", self.classes, "Counted").stdout)

    def test_a_running_program_is_refused(self):
        (self.folder / "Waits.java").write_text(
            "public class Waits { public static void main(String[] a) throws Exception {"
            " System.out.println(); System.in.read(); } }")
        process = subprocess.Popen([java(min(JDKS)), "-cp", compile_java([self.folder / "Waits.java"]), "Waits"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        result = assay("attach", process.pid, "--collect", "bytecodes", "--agent", "X", check=False)
        process.communicate(b"\n")
        self.assertEqual((result.returncode, process.returncode), (3, 0))
        self.assertIn("needs assay run", result.stderr)

    def test_options_that_make_no_sense_are_refused(self):
        for options, said in ((("--agent-jar", RUNTIME), "agent-jar needs agent"),
                              (("--agent", "X", "--agent-jar", "/nowhere.jar"), "there is no file /nowhere.jar"),
                              (("--agent", "X", "--granularity", "5"), "the agent chooses granularity"),
                              (("--agent", "X", "--collect", "exact"), "--agent does not apply to --collect exact")):
            collect = () if "--collect" in options else ("--collect", "bytecodes")
            result = assay("run", "-o", self.folder / "p", *collect, *options, "--", java(min(JDKS)), "-cp",
                           self.classes, "Counted", check=False)
            self.assertIn(result.returncode, (2, 3))
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
