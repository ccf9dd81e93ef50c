"""The commands that start programs, with scripts in place of Java: nothing here needs a JVM."""
import contextlib
import os
import pathlib
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest

from assay_test import ASSAY, assay, show_json
from profile_file import ProfileFile, header

MAIN = "Known.main([Ljava/lang/String;)V"
# Prints its arguments, one a line in brackets, without the flags that assay puts before them.
ECHO = 'for word; do case "$word" in -agentpath*|-XX:*|-Xshare*) ;; *) echo "<$word>";; esac; done\n'


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-programs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.scratch))

    def script(self, text, name="program"):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def profile(self, name="old.profile", end=True, **metadata):
        file = ProfileFile(collect="calls", **metadata)
        file.edge("<native>", -1, MAIN, 1)
        path = self.folder / name
        file.write(path, end=end)
        return path

    def assay(self, *arguments, **more):
        return assay(*arguments, check=False, env=self.environment, cwd=self.folder, timeout=60, **more)

    def check(self, status, message, *arguments, **more):
        result = self.assay(*arguments, **more)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(message, result.stderr)
        return result

    def nothing_stays(self):
        self.assertEqual(os.listdir(self.scratch), [])


class Words(Case):
    WORDS = ("[1,2,3]", "[]", "", "{}", "--tick", "-o", "a b", "--", "-q", "[x")

    def test_a_program_gets_its_arguments_unchanged(self):
        expected = [f"<{word}>" for word in self.WORDS]
        program = self.script(ECHO)
        for options in (["run", "-q", "--include", "a", "-o", "x", "--"], ["run", "-qox"], ["live", "--"], ["live", "--tick=5ms"]):
            result = self.assay(*options, program, *self.WORDS)
            self.assertEqual(result.stdout.splitlines(), expected, options)

    def test_tune_and_calibrate_too(self):
        seen = self.folder / "seen"
        program = self.script(f"exec >> {seen}\n{ECHO}exit 1\n", "java")
        plan = self.folder / "a.plan"
        plan.write_text("assay-plan 1\npolicy hand\nflag -XX:MaxInlineSize=30\n")
        self.assay("tune", "--plan", plan, "--budget", "1s", "--pairs", "1", "--", program, *self.WORDS)
        self.assertEqual(seen.read_text().splitlines()[:len(self.WORDS)], [f"<{word}>" for word in self.WORDS])
        seen.unlink()
        self.assay("calibrate", "-o", "weights", "--", program, "[1,2]", "[]")
        self.assertEqual(seen.read_text().splitlines()[:2], ["<[1,2]>", "<[]>"])

    def test_a_file_may_have_brackets_for_its_name(self):
        self.profile("[a,b]")
        self.assay("merge", "[a,b]", "[a,b]", "-o", "sum")
        self.assertEqual(show_json(self.folder / "sum")["edges"][0]["weight"], 2)

    def test_an_option_without_a_value_is_said(self):
        for options in (["-o", ""], ["--tick="], ["-q", "--include", ""], ["--output="]):
            self.check(2, "has no value", "run", *options, "--", "true")
        self.check(2, "--output", "run", "-o", "--", "true")

    def test_a_command_that_does_not_exist_is_named(self):
        self.check(2, "there is no command 'sho'", "sho", "x")


class Outputs(Case):
    def refused(self, output, message):
        ran = self.folder / "ran"
        self.check(2, message, "run", "-o", output, "--", self.script(f"touch {ran}\n"))
        self.assertFalse(ran.exists())

    def test_what_is_no_profile_stays(self):
        foreign, folder, pipe, link = (self.folder / name for name in ("foreign", "folder", "pipe", "link"))
        foreign.write_text("precious")
        folder.mkdir()
        os.mkfifo(pipe)
        link.symlink_to(foreign)
        self.refused(foreign, "no profile and stays")
        self.refused(link, "no profile and stays")
        self.refused(folder, "it is a folder")
        self.refused(pipe, "a device or a pipe")
        self.assertEqual(foreign.read_text(), "precious")
        self.assertTrue(link.is_symlink() and folder.is_dir() and pipe.is_fifo())
        self.refused("nowhere/x", "there is no folder")

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a device")
    def test_a_device_stays(self):
        device = self.folder / "device"
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            self.skipTest("no devices in this container")
        self.refused(device, "a device or a pipe")
        self.assertTrue(device.is_char_device())

    def test_an_old_profile_outlives_what_does_not_profile(self):
        old = self.profile()
        content = old.read_bytes()
        link = self.folder / "link"
        link.symlink_to(old)
        self.check(2, "cannot run", "run", "-o", old, "--", "/nonexistent/java")
        self.check(2, "--explain", "run", "--explain", "-o", old, "--", "true")
        self.check(2, "there is no file", "run", "--collect", "bytecodes", "--weights", "none", "-o", old, "--", "true")
        self.check(3, "of an earlier run", "run", "-o", old, "--", "true")
        self.check(3, "of an earlier run", "run", "-o", link, "--", "true")
        self.assertEqual(old.read_bytes(), content)
        self.assertTrue(link.is_symlink())

    def test_segments_of_an_earlier_run_go_when_the_program_has_started(self):
        content = self.profile().read_bytes()
        for name in ("x.1", "x.22", "x.b", "y.1"):
            (self.folder / name).write_bytes(content)
        (self.folder / "x.3").write_text("foreign")
        segments = lambda: sorted(p.name for p in self.folder.glob("[xy].*"))
        options = ("run", "--collect", "contexts", "-o", "x", "--segment", "10s", "--")
        self.check(2, "cannot run", *options, "/nonexistent/java")
        self.assertEqual(segments(), ["x.1", "x.22", "x.3", "x.b", "y.1"])
        self.assay(*options, "true")
        self.assertEqual(segments(), ["x.3", "x.b", "y.1"])

    def test_tune_looks_before_it_runs_anything(self):
        ran = self.folder / "ran"
        program = self.script(f"touch {ran}\n")
        self.check(2, "there is no folder", "tune", "-o", "nowhere/x", "--", program)
        self.check(2, "comma", "tune", "-o", "a,b", "--", program)
        self.check(2, "excludes", "tune", "--plan", "a", "--profile", "b", "--", program)
        self.check(2, "--pairs", "tune", "--pairs", "0", "--", program)
        self.assertFalse(ran.exists())
        self.nothing_stays()


class Summaries(Case):
    def writes(self, content, status=0):
        """A program that leaves this as its profile."""
        made = self.folder / "made"
        made.write_bytes(content)
        return self.script(f"cp {made} {self.folder}/x\nexit {status}\n", "java")

    def test_only_a_finished_profile_is_a_success(self):
        whole = self.profile().read_bytes()
        cut = self.profile(end=False).read_bytes()
        empty = header(24)
        self.assertIn("edges", self.assay("run", "-o", "x", "--", self.writes(whole)).stderr)
        self.check(0, "", "run", "-q", "-o", "x", "--", self.writes(whole))
        for content, message in ((cut, "is not finished"), (empty, "nothing was profiled")):
            for quiet in ([], ["-q"]):
                self.check(3, message, "run", *quiet, "-o", "x", "--", self.writes(content))
        # A program that fails keeps its status; what there is of its profile is summed up.
        self.check(4, "edges", "run", "-o", "x", "--", self.writes(cut, 4))
        self.check(4, "nothing was profiled", "run", "-o", "x", "--", self.writes(empty, 4))

    def test_inferring_does_not_make_a_profile_whole(self):
        cut = self.profile(end=False).read_bytes()
        self.check(3, "is not finished", "run", "--infer", "true", "-o", "x", "--", self.writes(cut))

    def starts(self, *pids, status=0):
        """A script whose JVMs leave profiles where their agent was told to."""
        said = 'out=$(echo "$JAVA_TOOL_OPTIONS" | sed "s/.*output=\\([^, ]*\\).*/\\1/")\n'
        for pid in pids:
            self.profile(pid=pid, command=f"java Some{pid}").rename(self.folder / f"made{pid}")
            said += f'cp {self.folder}/made{pid} "$(echo "$out" | sed s/%p/{pid}/)"\n'
        return self.script(said + f"exit {status}\n", "start")

    def left(self):
        return sorted(p.name for p in self.folder.iterdir() if p.name.startswith("x"))

    def test_the_only_jvm_of_a_script_has_the_profile_that_was_asked_for(self):
        result = self.assay("run", "-o", "x", "--", self.starts(123))
        self.assertIn("-> " + str(self.folder / "x"), result.stderr)
        self.assertNotIn("123", result.stderr)
        self.assertEqual(self.left(), ["x"])
        self.check(3, "nothing was profiled", "run", "-o", "x", "--", self.starts())

    def test_each_jvm_of_a_script_has_its_own_profile(self):
        (self.folder / "x.77").write_text("foreign")
        (self.folder / "x.5").write_bytes(self.profile(pid=5).read_bytes())
        result = self.assay("run", "-o", "x", "--", self.starts(123, 45))
        self.assertEqual(self.left(), ["x.123", "x.45", "x.5", "x.77"])
        for pid in (123, 45):
            self.assertRegex(result.stderr, f"process {pid}, java Some{pid}: .* -> .*x.{pid} ")
        self.assertIn("2 JVMs", result.stderr)
        self.assertNotIn("x.5 ", result.stderr)
        self.check(7, "2 JVMs", "run", "-o", "x", "--", self.starts(123, 45, status=7))

    def test_a_profile_may_be_named_by_process(self):
        result = self.assay("run", "-o", "x-%p.profile", "--", self.starts(123))
        self.assertEqual(self.left(), ["x-123.profile"])
        self.assertRegex(result.stderr, "process 123, .*x-123.profile")

    def test_the_status_survives_a_reader_that_is_gone(self):
        for status in (0, 5):
            reading, writing = os.pipe()
            os.close(reading)
            result = subprocess.run([ASSAY, "run", "-o", "x", "--", self.writes(self.profile().read_bytes(), status)],
                                    stderr=writing, cwd=self.folder, timeout=60)
            os.close(writing)
            self.assertEqual(result.returncode, status)


ENDING = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)


def begin_with(ignoring=None):
    """Whatever the tests themselves were started with: under nohup they ignore SIGHUP, and so does what they start."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN if number == ignoring else signal.SIG_DFL)


class Signals(Case):
    def test_the_program_is_asked_to_end_and_its_status_counts(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            program = self.script('trap "echo asked; exit 7" TERM HUP\necho ready\nwhile :; do sleep 0.05; done\n')
            plan = self.folder / "a.plan"
            plan.write_text("assay-plan 1\npolicy hand\ninline A.f()V@0 callee=A.g()V weight=1%\n")
            process = subprocess.Popen([ASSAY, "run", "--apply", plan, "--", program], stdout=subprocess.PIPE, text=True,
                                       env=self.environment, preexec_fn=begin_with, process_group=0)
            self.addCleanup(self.end, process)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            self.assertEqual(process.communicate(timeout=60)[0], "asked\n")
            self.assertEqual(process.returncode, 7)
            self.nothing_stays()

    @staticmethod
    def end(process):
        """With all that it started, should it still be there."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()

    def test_a_program_that_a_signal_ends(self):
        process = subprocess.Popen([ASSAY, "run", "-q", "-o", self.folder / "x", "--", self.script("echo $$\nexec sleep 600\n")],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=begin_with, process_group=0)
        self.addCleanup(self.end, process)
        child = int(process.stdout.readline())
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

    def ignored(self, *command, ignoring=None):
        """The signals that a program started so ignores."""
        result = subprocess.run([ASSAY, *command, "sh", "-c", "grep SigIgn /proc/self/status"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, cwd=self.folder, preexec_fn=lambda: begin_with(ignoring), timeout=60)
        mask = int(result.stdout.split()[1], 16)
        return {number for number in ENDING if mask >> number - 1 & 1}

    def test_a_program_ignores_what_it_would_without_us(self):
        for command in (("run", "--"), ("live", "--")):
            self.assertEqual(self.ignored(*command), set())
            self.assertEqual(self.ignored(*command, ignoring=signal.SIGHUP), {signal.SIGHUP})
            self.assertEqual(self.ignored(*command, ignoring=signal.SIGINT), {signal.SIGINT})

    def test_an_interrupted_tune_is_no_verdict(self):
        program = self.script("kill -INT $PPID\nexit 130\n")
        result = self.check(128 + signal.SIGINT, "Interrupt", "tune", "--", program)
        self.assertNotIn("no reason", result.stderr)
        self.nothing_stays()

    def test_tune_says_that_the_program_fails(self):
        made = self.profile()
        program = self.script(f'for word; do case "$word" in -agentpath*) cp {made} "${{word##*output=}}";; esac; done\nexit 9\n', "java")
        result = self.check(3, "a program that fails", "tune", "--", program)
        self.assertIn("ends with status 9", result.stderr)


class Surroundings(Case):
    def test_no_folder_for_temporary_files(self):
        self.environment["TMPDIR"] = "/nonexistent"
        self.check(3, "TMPDIR", "live", "--", "true")
        self.check(3, "TMPDIR", "tune", "--", "true")

    def test_no_working_folder(self):
        gone = self.folder / "gone"
        gone.mkdir()
        result = subprocess.run([ASSAY, "run", "--", "true"], capture_output=True, text=True, timeout=60,
                                preexec_fn=lambda: (os.chdir(gone), os.rmdir(gone)))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("working folder", result.stderr)

    def test_a_folder_in_place_of_a_plan(self):
        self.check(2, "there is no plan", "run", "--apply", self.scratch, "--", "true")


class Live(Case):
    def test_its_collector_is_contexts_when_none_is_named(self):
        self.check(3, "live at", "live", "--clock", "wall", "--half-life", "10s", "--", "true")
        self.check(2, "--samples does not apply to --collect contexts", "live", "--samples", "16", "--", "true")

    def test_process_ids(self):
        self.check(3, "there is no process 999999999", "live", "999999999", "--port", "0")
        self.check(2, "no process id", "live", "4294967297")
        self.check(2, "no process id", "live", "0")
        self.check(2, "either", "live", "999999999", "--", "true")

    def test_a_profile_of_an_earlier_run_is_not_taken_for_this_one(self):
        with subprocess.Popen(["sleep", "600"]) as other:
            self.addCleanup(other.kill)
            old = self.profile(pid=other.pid, duration="1s")
            live = subprocess.Popen([ASSAY, "live", "-o", old, "--", "sleep", "600"], stderr=subprocess.PIPE, text=True)
            self.assertIn("live at", live.stderr.readline())
            time.sleep(1)  # until it has looked at the file
            live.terminate()
            live.communicate(timeout=60)
            self.assertIsNone(other.poll())
            other.kill()

    def test_a_busy_port_leaves_nothing_behind(self):
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            self.check(3, "", "live", "--port", busy.getsockname()[1], "--", "true")
        self.nothing_stays()


class Doctor(Case):
    def test_a_script_is_not_run(self):
        ran = self.folder / "ran"
        self.check(2, "is not java", "doctor", "--", self.script(f"touch {ran}\n"))
        self.assertFalse(ran.exists())

    def test_only_flags_of_the_jvm_reach_it(self):
        seen = self.folder / "seen"
        java = self.script(f'echo "$@" > {seen}\n', "java")
        for program in (("-cp", "-Xb", "Main", "-Xc"), ("-jar", "-Xb.jar", "-Xc"), ("-m", "a/b", "-Xc")):
            self.check(3, "did not run as a HotSpot JVM", "doctor", "--", java, "-Xa", "-XX:+B", *program)
            words = seen.read_text().split()
            self.assertEqual([w for w in words if w.startswith("-X")], ["-Xa", "-XX:+B", "-Xcomp"])
        self.nothing_stays()


if __name__ == "__main__":
    unittest.main()
