"""Plans: made from profiles, applied at load and to running JVMs, taken back; nothing changes but speed."""
import json
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from assay_test import ASSAY, assay, compile_java, each_jdk, java, run

HERE = pathlib.Path(__file__).parent


def calls_of(version, classes, name):
    """[(method, descriptor, code length, bci, callee name, callee descriptor)] of virtual calls, from javap."""
    listing = run(java(version, "javap"), "-c", "-p", "-s", "-cp", classes, name).stdout
    found, method, pending, length = [], None, [], 0

    def finish():
        for call in pending:
            found.append((*method, length, *call))

    for line in listing.splitlines():
        if match := re.match(r"  \S.*?([\w$.]+)\(.*;$", line):
            finish()
            pending, plain = [], match[1].split(".")[-1]
            plain = "<init>" if plain == name.split(".")[-1] or plain == name else plain
        elif match := re.match(r"    descriptor: (\(.*)", line):
            method = (plain, match[1])
        elif match := re.match(r"\s+(\d+): (\w+)", line):
            length = int(match[1]) + {"return": 1, "areturn": 1, "ireturn": 1, "lreturn": 1, "athrow": 1}.get(match[2], 3)
            if call := re.search(r"(\d+): invoke(?:virtual|interface) .*// (?:Interface)?Method (\S+):(\(\S+)", line):
                called = call[2].split(".")[-1].strip('"')
                pending.append((int(call[1]), called, call[3]))
    finish()
    return found


def plan_text(lines):
    return "\n".join(["assay-plan 1", "policy hand", *lines]) + "\n"


def write_plan(lines):
    path = tempfile.mktemp(suffix=".plan")
    pathlib.Path(path).write_text(plan_text(lines))
    return path


def build_behaviour():
    """Behaviour sees the new Old and Closed when compiled and the old ones when run."""
    classes = compile_java([HERE / "old" / "Old.java", HERE / "old" / "OldOne.java"])
    compile_java([HERE / "new" / "Old.java"], out=classes)
    source = tempfile.mkdtemp()
    compile_java([HERE / "new" / "Closed.java"], out=source)
    # OldOne lacks the method, so javac must not see its source.
    compile_java([HERE / "Behaviour.java"], "-g", "-cp", f"{classes}:{source}", out=classes)
    compile_java([HERE / "old" / "Closed.java"], out=classes)
    return classes


class Behaviour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = build_behaviour()

    def plan(self, version, guards):
        lines = []
        for name in ("Behaviour", "Behaviour$Pair", "Behaviour$B"):
            for method, descriptor, _, bci, callee, call in calls_of(version, self.classes, name):
                lines.append(f"devirtualize {name}.{method}{descriptor}@{bci} call={callee}{call} guard={guards}")
        self.assertGreater(len(lines), 40)
        return write_plan(lines)

    @each_jdk()
    def test_everything_stays_as_it_is(self, version):
        command = (java(version), "-Xverify:all", "-cp", self.classes, "Behaviour", self.classes)
        expected = run(*command).stdout
        self.assertIn('because "local" is null', expected)
        self.assertIn('because the return value of "Behaviour.absent()" is null', expected)
        self.assertIn('because "kept" is null', expected)
        self.assertIn('because the return value of "Behaviour$A.same(Behaviour$A)" is null', expected)
        self.assertIn("AbstractMethodError", expected)
        self.assertIn("IllegalAccessError", expected)
        for guards in ("Behaviour$A,Behaviour$C", "Behaviour$Never,Behaviour$Loud", "java.lang.String,Behaviour$A",
                       "Behaviour$D,Behaviour$B"):
            path = self.plan(version, guards)
            result = assay("run", "--apply", path, "--", *command)
            self.assertEqual(result.stdout, expected)
            rewritten = int(re.search(r"plan: (\d+) of", result.stderr)[1])
            # All but calls before this() and those whose result a message would name.
            self.assertGreaterEqual(rewritten, 60, result.stderr)

    @each_jdk()
    def test_guards_load_and_initialize_nothing(self, version):
        path = self.plan(version, "Behaviour$Never,Behaviour$Loud")
        report = tempfile.mktemp()
        result = assay("run", "--apply", path, "--apply-report", report, "--", java(version), "-Xlog:class+load",
                       "-cp", self.classes, "Behaviour", self.classes)
        self.assertIn("Behaviour$Loud ", result.stdout)
        self.assertNotIn("Behaviour$Never ", result.stdout)
        self.assertLess(result.stdout.index("before Loud"), result.stdout.index("Loud is initialized"))
        self.assertIn("guard\tBehaviour$Never\tnot loaded", pathlib.Path(report).read_text())
        self.assertIn("guard\tBehaviour$Loud\tin use", pathlib.Path(report).read_text())

    @each_jdk()
    def test_what_is_stale_is_skipped_and_said(self, version):
        sites = calls_of(version, self.classes, "Behaviour")
        method, descriptor, _, bci, callee, call = next(s for s in sites if s[0] == "twinOf")
        good = f"devirtualize Behaviour.{method}{descriptor}@{bci} call={callee}{call} guard=Behaviour$C"
        path = write_plan([
            good,
            f"devirtualize Behaviour.who(Ljava/lang/StackWalker;)Ljava/lang/String;@0 call=area(I)I guard=Behaviour$C",
            "devirtualize Behaviour.gone()V@3 call=area(I)I guard=Behaviour$C",
            "devirtualize Gone.gone()V@3 call=area(I)I guard=Behaviour$Shape",
            f"devirtualize Behaviour.twin(I)I@4000 call={callee}{call} guard=Behaviour$C",
            "devirtualize Behaviour.mixed([LBehaviour$A;I)J@23 code=9999 call=area(I)I guard=Behaviour$C",
        ])
        result = assay("run", "--apply", path, "--", java(version), "-cp", self.classes, "Behaviour", self.classes)
        for text in ("1 of 6 sites rewritten", "the instruction is no virtual call", "there is no such method",
                     "the class was not loaded", "no instruction at this bci", "bytes, not 9999", "abstract"):
            self.assertIn(text, result.stderr)

    @each_jdk()
    def test_a_loader_that_may_be_unloaded_is_guarded_and_not_pinned(self, version):
        sites = calls_of(version, self.classes, "Behaviour")
        method, descriptor, _, bci, callee, call = next(s for s in sites if s[0] == "twin")
        path = write_plan([f"devirtualize Behaviour.{method}{descriptor}@{bci} call={callee}{call} guard=Behaviour$A"])
        classes = compile_java([HERE / "Elsewhere.java"])
        report = tempfile.mktemp()
        command = (java(version), "-cp", classes, "Elsewhere", self.classes)
        result = assay("run", "--apply", path, "--apply-report", report, "--", *command)
        self.assertEqual(result.stdout, run(*command).stdout)
        self.assertIn("unloaded", result.stdout)
        self.assertIn("1 of 1 sites rewritten", result.stderr)
        self.assertIn("guard\tBehaviour$A\tin use", pathlib.Path(report).read_text())

    @each_jdk()
    def test_elements_of_unloaded_loaders_are_used_again(self, version):
        """More loaders in turn than there is room for."""
        sites = calls_of(version, self.classes, "Behaviour")
        method, descriptor, _, bci, callee, call = next(s for s in sites if s[0] == "twin")
        path = write_plan([f"devirtualize Behaviour.{method}{descriptor}@{bci} call={callee}{call} guard=Behaviour$A,Behaviour$B"])
        classes = compile_java([HERE / "Elsewhere.java"])
        result = assay("run", "--apply", path, "--", java(version), "-Xmx64m", "-cp", classes, "Elsewhere", self.classes, "1500")
        self.assertIn("unloaded", result.stdout)
        self.assertNotIn("no room", result.stderr)

    @each_jdk()
    def test_a_receiver_of_a_passing_loader_is_refused_for_callers_that_stay(self, version):
        classes = compile_java([HERE / "Passing.java"])
        site = next(s for s in calls_of(version, classes, "Passing") if s[0] == "apply")
        method, descriptor, _, bci, callee, call = site
        path = write_plan([f"devirtualize Passing.{method}{descriptor}@{bci} call={callee}{call} guard=Passing$Guest"])
        command = (java(version), "-cp", classes, "Passing", classes)
        result = assay("run", "--apply", path, "--", *command)
        self.assertEqual(result.stdout, run(*command).stdout)
        self.assertIn("its class loader might be unloaded, and is not the one of the callers", result.stderr)


class Making(unittest.TestCase):
    @each_jdk()
    def test_from_a_profile_to_a_rewritten_site(self, version):
        classes = compile_java([HERE / "Four.java"])
        profile, plan = tempfile.mktemp(suffix=".profile"), tempfile.mktemp(suffix=".plan")
        first = assay("run", "-o", profile, "--", java(version), "-cp", classes, "Four", "600")
        assay("plan", profile, "-o", plan)
        text = pathlib.Path(plan).read_text()
        assay("plan", profile, "-o", plan + "2")
        self.assertEqual(pathlib.Path(plan + "2").read_text(), text)
        self.assertRegex(text, r"devirtualize Four\.sum\(\[LFour\$Step;\)I@\d+ code=\d+ call=step\(I\)I guard=Four\$S0")
        decisions = json.loads(assay("plan", plan, "--json").stdout)["decisions"]
        self.assertEqual(decisions[0]["guards"][0], "Four$S0")
        second = assay("run", "--apply", plan, "--", java(version), "-cp", classes, "Four", "600")
        self.assertEqual(second.stdout, first.stdout)
        self.assertIn("1 of 1 sites rewritten", second.stderr)

    @each_jdk()
    def test_a_plan_survives_a_changed_program(self, version):
        source = (HERE / "Four.java").read_text()
        old, plan = compile_java([HERE / "Four.java"]), tempfile.mktemp(suffix=".plan")
        sites = calls_of(version, old, "Four")
        lines = [f"devirtualize Four.{m}{d}@{bci} code={length} call={callee}{call} guard=Four$S0"
                 for m, d, length, bci, callee, call in sites if callee == "step"]
        pathlib.Path(plan).write_text(plan_text(lines + [
            "inline Four.sum([LFour$Step;)I@9 code=77 callee=Four.gone()V size=50 weight=5%",
            "inline Four.vanished()V@9 code=77 callee=Four$S1.step(I)I size=4 weight=5%"]))
        self.assertGreaterEqual(len(lines), 1)
        changes = {"the method has": ("int x = 1;", "int x = 1; if (steps.length == 7) x = 2;"),
                   "there is no such method": ("int sum(Step[] steps) {", "int added(Step[] steps, int n) {"),
                   "the call is to stride": ("step(int x)", "stride(int x)"),
                   "the class was not loaded": ("class Four ", "class Fore ")}
        for said, (before, after) in changes.items():
            text = source.replace(before, after).replace("step.step(", "step.stride(" if "stride" in after else "step.step(")
            text = text.replace("sum(STEPS)", "added(STEPS, 1)") if "added" in after else text
            name = "Fore" if "Fore" in after else "Four"
            folder = pathlib.Path(tempfile.mkdtemp())
            (folder / f"{name}.java").write_text(text)
            new = compile_java([folder / f"{name}.java"])
            result = assay("run", "--apply", plan, "--explain", "--", java(version), "-cp", new, name, "20")
            self.assertEqual(result.stdout, run(java(version), "-cp", new, name, "20").stdout)
            self.assertIn(said, result.stderr)
            self.assertIn("0 of", result.stderr)
            self.assertRegex(result.stderr, r"Four\.vanished@9 +Four\$S1\.step +no such call in what C2 compiled")

    @each_jdk()
    def test_what_the_compiler_did_is_shown_beside_the_plan(self, version):
        classes = compile_java([HERE / "Four.java"])
        method, descriptor, _, bci, callee, call = next(s for s in calls_of(version, classes, "Four") if s[0] == "sum")
        plan = write_plan([f"devirtualize Four.sum{descriptor}@{bci} call={callee}{call} guard=Four$S0 weight=50%",
                           f"devirtualize Four.sum{descriptor}@{bci + 1} call={callee}{call} guard=Four$S1 weight=50%"])
        result = assay("run", "--apply", plan, "--explain", "--", java(version), "-Xbatch", "-cp", classes, "Four", "600")
        self.assertRegex(result.stderr, rf"Four\.sum@{bci} +Four\$S0\.step +guarded, inlined")
        self.assertRegex(result.stderr, rf"Four\.sum@{bci + 1} +Four\$S1\.step +left alone: stale")
        big = compile_java([HERE / "Big.java"])
        plan = write_plan(["inline Big.main([Ljava/lang/String;)V@12 callee=Big.loop(I)J weight=1%",
                           "no-inline Big.loop(I)J@12 callee=Big.big(J)J weight=1%"])
        result = assay("run", "--apply", plan, "--explain", "--", java(version), "-Xbatch", "-cp", big, "Big")
        self.assertRegex(result.stderr, r"Big\.loop@12 +Big\.big +refused: \S")

    def test_bad_plans_are_refused_with_the_line(self):
        path = write_plan(["devirtualize nonsense"])
        for command in (("run", "--apply", path, "--", "java"), ("plan", path), ("tune", "--plan", path, "--", "java")):
            result = assay(*command, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn("line 3", result.stderr)

    def test_tune_says_when_there_is_nothing_to_do(self):
        path = write_plan(["skip A.f()V@0 callee=A.g()V # too large"])
        result = assay("tune", "--plan", path, "--", "java", "-version", check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no reason", result.stderr)


class Tuning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Big.java", HERE / "Lambda.java"])

    def tune(self, plan, *command, options=(), **more):
        return assay("tune", "--plan", plan, "--budget", "1s", "--pairs", "3", *options, "-o", tempfile.mktemp(), "--",
                     *command, check=False, **more)

    @each_jdk()
    def test_a_part_that_breaks_the_program_is_dropped(self, version):
        plan = write_plan(["flag -XX:NoSuchFlag=1"])
        result = self.tune(plan, java(version), "-cp", self.classes, "Big")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("flags: the program does not end as usual with it: dropped", result.stderr)

    @each_jdk((17,))
    def test_the_program_as_it_is_gets_no_flags_through_a_script(self, version):
        folder = pathlib.Path(tempfile.mkdtemp())
        script, seen = folder / "start.sh", folder / "seen"
        script.write_text(f'#!/bin/sh\necho "[$JAVA_TOOL_OPTIONS]" >> {seen}\nexec {java(version)} -cp {self.classes} Big\n')
        script.chmod(0o755)
        self.tune(write_plan(["flag -XX:MaxInlineSize=30"]), script)
        runs = seen.read_text().splitlines()
        self.assertEqual(runs.count("[]"), len(runs) // 2)
        self.assertEqual(set(runs), {"[]", "[-XX:MaxInlineSize=30]"})

    @each_jdk()
    def test_inlining_is_replayed_where_the_jvm_can_and_leaves_nothing_behind(self, version):
        bci = next(bci for bci in range(40) if is_call_of_big(version, self.classes, bci))
        plan = write_plan([f"inline Big.loop(I)J@{bci} callee=Big.big(J)J weight=90%"])
        folder = tempfile.mkdtemp()
        result = self.tune(plan, java(version), "-cp", self.classes, "Big", options=["--replay"], cwd=folder)
        self.assertIn("inline: speed-up", result.stderr)
        # Three pairs decide nothing, and that is not the same as no help.
        self.assertIn("undecided, dropped", result.stderr)
        self.assertIn("the budget is spent", result.stderr)
        self.assertEqual("replay: speed-up" in result.stderr, version > 17, result.stderr)
        self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    @each_jdk()
    def test_a_jvm_that_crashes_at_the_dump_is_met_on_request_only_and_leaves_nothing_behind(self, version):
        plan = write_plan(["inline Lambda.loop(I)J@5 callee=Lambda.none(J)J weight=90%"])
        folder = tempfile.mkdtemp()
        for options in ([], ["--replay"]):
            result = self.tune(plan, java(version), "-cp", self.classes, "Lambda", options=options, cwd=folder)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("inline: speed-up", result.stderr)
            if not options:
                self.assertNotIn("replay", result.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


def is_call_of_big(version, classes, bci):
    listing = run(java(version, "javap"), "-c", "-p", "-cp", classes, "Big").stdout
    return re.search(rf"^ +{bci}: invokestatic .*Method big:", listing.split("long loop")[1], re.M)


class Inlining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Big.java"])
        cls.plan = write_plan(["inline Big.loop(I)J@12 callee=Big.big(J)J weight=90%",
                               "inline Big.<init>()V@1 callee=java.lang.Object.<init>()V weight=1%"])

    @each_jdk()
    def test_directives_force_a_callee_that_is_too_big(self, version):
        command = (java(version), "-Xbatch", "-XX:-TieredCompilation", "-XX:+UnlockDiagnosticVMOptions",
                   "-XX:+PrintInlining", "-XX:+PrintCompilation", "-cp", self.classes, "Big")
        big = re.compile(r"Big::big \(\d+ bytes\)\s+(.*)")
        stock = big.findall(run(*command).stdout)
        self.assertTrue(any("too big" in reason for reason in stock), stock)
        forced = big.findall(assay("run", "--apply", self.plan, "--", *command).stderr)
        self.assertTrue(any("force inline" in reason for reason in forced), forced)

    @each_jdk()
    def test_standard_output_stays_the_programs_own(self, version):
        command = (java(version), "-cp", self.classes, "Big")
        self.assertEqual(assay("run", "--apply", self.plan, "--", *command).stdout, run(*command).stdout)

    @each_jdk()
    def test_the_jvm_takes_as_many_directives_as_are_written(self, version):
        plan = write_plan([f"inline Big.m{i}()V@0 callee=Big.n{i}()V weight=1%" for i in range(60)])
        self.assertEqual(assay("run", "--apply", plan, "--", java(version), "-version").returncode, 0)

    @each_jdk()
    def test_the_jvm_accepts_every_name_that_is_written(self, version):
        """Methods with the names of compile commands are left out; a directive with one stops the JVM."""
        words = run(java(version), "-XX:CompileCommand=help", "-version").stdout
        names = set(re.findall(r"^ +(\w+) \(\w+\)$", words, re.M)) | {"log", "print", "inline", "option", "double", "intx"}
        self.assertGreater(len(names), 30)
        plan = write_plan([f"inline Big.{name}()V@0 callee=Big.n{name}()V weight=1%" for name in sorted(names)]
                          + [f"inline Big.loop(I)J@1 callee=Big.{name}()V weight=1%" for name in sorted(names)]
                          + [f"inline {'L' * 300}.a()V@0 callee=Big.{'m' * 300}({'J' * 250})V weight=1%"]
                          + [f"inline {'L' * 255}.a()V@0 callee=Big.{'m' * 255}({'J' * 250})V weight=1%"])
        self.assertEqual(assay("run", "--apply", plan, "--", java(version), "-version").returncode, 0)

    @each_jdk((25,))
    def test_replay_forces_one_call_site(self, version):
        folder = tempfile.mkdtemp()
        run(java(version), "-XX:CompileCommand=DumpInline,Big.loop", "-cp", self.classes, "Big", cwd=folder)
        dumps = sorted(str(p) for p in pathlib.Path(folder).glob("inline_*.log"))
        data = f"{folder}/data"
        bci = next(bci for bci in range(40) if is_call_of_big(version, self.classes, bci))
        plan = write_plan([f"inline Big.loop(I)J@{bci} callee=Big.big(J)J weight=90%"])
        made = assay("plan", plan, "--replay", data, "--dumps", *dumps)
        flags = re.findall(r"^  (-XX.*)", made.stderr, re.M)
        self.assertIn(f"-XX:InlineDataFile={data}", flags)
        out = run(java(version), *flags, "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintInlining",
                  "-XX:+PrintCompilation", "-cp", self.classes, "Big").stdout
        self.assertRegex(out, r"Big::big \(\d+ bytes\)\s+force inline by ciReplay")

    @each_jdk()
    def test_online_and_back(self, version):
        classes = compile_java([HERE / "Four.java"])
        site = calls_of(version, classes, "Four")
        method, descriptor, _, bci, callee, call = next(s for s in site if s[0] == "sum")
        plan = write_plan([
            f"devirtualize Four.{method}{descriptor}@{bci} call={callee}{call} guard=Four$S0",
            "inline Four.forever()V@0 callee=Four.sum([LFour$Step;)I weight=90%"])
        program = subprocess.Popen([java(version), "-cp", classes, "Four", "forever"], stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(program.stdout.readline(), "ready\n")
            report = tempfile.mktemp()
            applied = assay("attach", program.pid, "--apply", plan, "--apply-report", report)
            self.assertIn("rewritten\tFour.", pathlib.Path(report).read_text())
            self.assertIn("1 of 1 sites rewritten", applied.stderr)
            jcmd = lambda *words: run(java(version, "jcmd"), program.pid, *words).stdout
            self.assertIn("Four.sum", jcmd("Compiler.directives_print").replace("::", "."))
            assay("attach", program.pid, "--apply", plan)
            self.assertEqual(jcmd("Compiler.directives_print").replace("::", ".").count("Four.sum"), 1)
            removed = assay("detach", program.pid)
            self.assertIn("the plan is removed", removed.stderr)
            self.assertNotIn("Four.sum", jcmd("Compiler.directives_print").replace("::", "."))
            again = assay("detach", program.pid, check=False)
            self.assertEqual(again.returncode, 3)
            time.sleep(0.2)
            self.assertIsNone(program.poll())
        finally:
            program.kill()
            program.communicate()


if __name__ == "__main__":
    unittest.main()
