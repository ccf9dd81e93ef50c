"""--collect bytecodes: the same file in every run, the right counts, nothing of the program changed."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from assay_test import assay, compile_java, each_jdk, java, run, show_json, BUILD, JDKS, TESTED

HERE = pathlib.Path(__file__).parent
APPLICATION = ("--include", "Counted*")


def profile_of(version, *command, options=(), collect="bytecodes", check=True):
    path = tempfile.mktemp(suffix=".profile")
    result = assay("run", "-q", "--collect", collect, "-o", path, *options, "--", java(version), *command,
                   check=check)
    return result, path


def content(path):
    return pathlib.Path(path).read_bytes()


def total(path):
    return sum(c["self"] for c in show_json(path, "contexts")["contexts"])


def overlap(a, b):
    return json.loads(assay("compare", a, b, "--json").stdout)["overlap"]["contexts"]


class Counting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Counted.java", HERE / "DeadThreads.java"])

    def profile(self, version, *flags, program=("Counted",), **more):
        return profile_of(version, *flags, "-cp", self.classes, *program, **more)

    @each_jdk()
    def test_threads_that_ended_are_not_kept(self, version):
        out = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, out)
        assay("rewrite", self.classes, "-o", f"{out}/classes")
        program = ("-Xmx128m", "-cp")
        native, _ = profile_of(version, *program, self.classes, "DeadThreads")
        portable = run(java(version), f"-Dassay.output={out}/p", *program, f"{out}/classes", "DeadThreads")
        self.assertEqual([native.stdout, portable.stdout], ["gone: true\n"] * 2)

    @each_jdk()
    def test_output_is_the_programs_own_and_classes_verify(self, version):
        plain = run(java(version), "-cp", self.classes, "Counted")
        result, _ = self.profile(version, "-Xverify:all")
        self.assertEqual((result.stdout, result.stderr), (plain.stdout, ""))

    # The handler of `synchronized` covers itself: a helper called in it that found no room led back to it, for ever.
    @each_jdk()
    def test_a_stack_overflow_under_a_monitor_comes_to_an_end(self, version):
        classes = compile_java([HERE.parent / "exact" / "Monitors.java"])
        for options in ((), ("--include", "Monitors*"), ("--include", "Monitors*", "--granularity", "1", "--jitter", "0"), ("--include", "Monitors*", "--max-path", "2")):
            result, _ = profile_of(version, "-Xverify:all", "-cp", classes, "Monitors", options=options)
            self.assertEqual(result.stdout, "done\n", options)

    @each_jdk()
    def test_a_second_session_in_a_jvm_names_its_own_methods(self, version):
        """They had the numbers of the first session's, which the second profile need not have: memory was written outside of it."""
        process = subprocess.Popen([java(version), "-cp", compile_java([HERE / "Phases.java"]), "Phases"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        seen = []
        for _ in range(2):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", process.pid, "--collect", "bytecodes", "-o", path)
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            assay("detach", process.pid)
            seen.append({m["method"].split("(")[0] for m in show_json(path, "methods")["methods"]})
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn("Phases.alpha", seen[0])
        self.assertIn("Phases.beta", seen[1])
        self.assertEqual([m for m in seen[1] if not m.startswith("Phases.") and m.split(".")[0] not in ("java", "jdk", "sun")], [])
        self.assertNotIn("Phases.alpha", seen[1])
        self.assertLess(len(seen[1]), len(seen[0]))

    @each_jdk()
    def test_files_are_identical_whatever_the_flags(self, version):
        first = content(self.profile(version)[1])
        for flags in (["-Xint"], ["-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=1"]):
            self.assertEqual(content(self.profile(version, *flags)[1]), first, flags)

    @each_jdk()
    def test_stored_hash_codes_do_not_count(self, version):
        """Serial has none of the archived objects that G1 maps, or other ones."""
        classes = compile_java([HERE / "Hashes.java"])
        files = [profile_of(version, flag, "-cp", classes, "Hashes", options=("--granularity", "100"))[1]
                 for flag in ("-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC")]
        self.assertEqual(content(files[0]), content(files[1]), assay("diff", *files[:2]).stdout)
        self.assertEqual(content(files[0]), content(files[2]))

    @each_jdk()
    def test_a_loop_without_calls_is_charged_with_all_of_it(self, version):
        classes = compile_java([HERE / "Loop.java"])
        _, path = profile_of(version, "-cp", classes, "Loop", options=("--include", "Loop"))
        out = tempfile.mkdtemp() + "/classes"
        assay("rewrite", classes, "-o", out)
        portable = tempfile.mktemp(suffix=".profile")
        run(java(version), f"-Dassay.output={portable}", "-cp", out, "Loop")
        for profile in (path, portable):
            counted = int(show_json(profile)["metadata"]["bytecodes"])
            self.assertEqual(counted // 400_000_000, 11)  # instructions of the loop
            self.assertGreater(counted, 1 << 31)
            loop = show_json(profile, "contexts")["contexts"]
            self.assertEqual([c["stack"] for c in loop], [["Loop.main([Ljava/lang/String;)V"]])
            self.assertLess(abs(loop[0]["self"] - counted), 20_000)

    def test_application_classes_count_the_same_on_every_jdk(self):
        files = {v: content(self.profile(v, options=APPLICATION)[1]) for v in TESTED if v in JDKS}
        if len(files) < 2:
            self.skipTest("needs two JDKs")
        self.assertEqual(len(set(files.values())), 1)

    @each_jdk()
    def test_other_work_gives_another_file(self, version):
        one = content(self.profile(version, options=APPLICATION)[1])
        two = content(self.profile(version, options=APPLICATION, program=("Counted", "301"))[1])
        self.assertNotEqual(one, two)

    @each_jdk()
    def test_a_method_counts_its_instructions(self, version):
        listing = run(java(version, "javap"), "-c", "-p", "-cp", self.classes, "Counted").stdout
        body = listing.split("static int leaf(int);")[1].split("\n\n")[0]
        length = len(re.findall(r"^\s+\d+: \w+", body, re.MULTILINE))
        # Every check samples, so the counts per method are exact.
        _, path = self.profile(version, options=(*APPLICATION, "--granularity", "1", "--jitter", "0"))
        leaf = [c for c in show_json(path, "contexts")["contexts"] if c["stack"][-1] == "Counted.leaf(I)I"]
        by_caller = {c["stack"][-2].split("(")[0]: c["self"] for c in leaf}
        self.assertEqual(by_caller["Counted.main"], 100_000 * length)
        self.assertEqual(by_caller["Counted.collections"], 20_000 * length)
        self.assertEqual(by_caller["Counted.exceptions"], 300 * length)

    @each_jdk()
    def test_totals_are_those_of_exact(self, version):
        exact = total(self.profile(version, collect="exact", options=APPLICATION)[1])
        counted = int(show_json(self.profile(version, options=APPLICATION)[1])["metadata"]["bytecodes"])
        self.assertLess(abs(counted - exact) / exact, 0.001)
        program = ("Counted", "30000")
        exact = total(self.profile(version, collect="exact", options=APPLICATION, program=program)[1])
        _, path = self.profile(version, options=APPLICATION, program=program)
        counted = int(show_json(path)["metadata"]["bytecodes"])
        self.assertLess(abs(counted - exact) / exact, 0.01)

    @each_jdk()
    def test_what_an_instruction_throws_away_is_counted(self, version):
        classes = compile_java([HERE / "Thrown.java"])
        scope = ("--include", "Thrown:Thrown$*")
        plain = run(java(version), "-cp", classes, "Thrown").stdout
        result, path = profile_of(version, "-cp", classes, "Thrown", options=(*scope, "--granularity", "500"))
        self.assertEqual(result.stdout, plain)
        _, exact = profile_of(version, "-cp", classes, "Thrown", collect="exact", options=scope)
        counted = int(show_json(path)["metadata"]["bytecodes"])
        # Too much by what would have followed in the same block; without a handler that counts the sum far too little.
        self.assertLess(abs(counted / total(exact) - 1), 0.02)
        self.assertGreater(overlap(exact, path), 97)
        out = tempfile.mkdtemp() + "/classes"
        assay("rewrite", classes, "-o", out, "--granularity", "500")
        portable = tempfile.mktemp(suffix=".profile")
        self.assertEqual(run(java(version), f"-Dassay.output={portable}", "-cp", out, "Thrown").stdout, plain)
        self.assertEqual(int(show_json(portable)["metadata"]["bytecodes"]), counted)

    @each_jdk()
    def test_contexts_are_those_of_exact(self, version):
        _, exact = self.profile(version, collect="exact", options=APPLICATION)
        for options, least in ((("--granularity", "500", "--jitter", "100"), 97),
                               (("--granularity", "500", "--leaf-methods", "false"), 97),
                               (("--granularity", "500", "--fewer-checks", "false"), 97),
                               (("--granularity", "500", "--max-path", "10"), 97)):
            _, path = self.profile(version, options=(*APPLICATION, *options))
            self.assertGreater(overlap(exact, path), least, options)

    @each_jdk()
    def test_static_initializers_keep_their_context(self, version):
        _, path = self.profile(version, options=(*APPLICATION, "--granularity", "200"))
        stacks = [c["stack"] for c in show_json(path, "contexts")["contexts"]]
        main = "Counted.main([Ljava/lang/String;)V"
        self.assertIn([main, "Counted$Lazy.<clinit>()V", "Counted.fib(I)I"],
                      [s[:3] for s in stacks if len(s) >= 3])
        self.assertIn(["Counted$Worker.run()V", "Counted.fib(I)I"], [s[:2] for s in stacks])

    def test_an_injected_regression_is_named_with_its_size(self):
        version = min(JDKS)
        source = (HERE / "Counted.java").read_text()
        folder = pathlib.Path(tempfile.mkdtemp()) / "Counted.java"
        folder.write_text(source.replace("fib(24)", "fib(24) + fib(16)"))
        slower = compile_java([folder])
        exactly = (*APPLICATION, "--granularity", "1", "--jitter", "0")
        _, before = self.profile(version, options=exactly)
        _, after = profile_of(version, "-cp", slower, "Counted", options=exactly)
        same = assay("diff", before, before, "--fail-over", "0.1")
        self.assertIn("nothing changed", same.stdout)
        result = assay("diff", before, after, "--fail-over", "0.1", "--by", "methods", check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Counted.fib(int)", result.stdout)
        fib = [{m["method"]: m["self"] for m in show_json(p, "methods")["methods"]}["Counted.fib(I)I"]
               for p in (before, after)]
        # 1,597 calls return at once after 6 bytecodes, 1,596 call twice and execute 13.
        self.assertEqual(fib[1] - fib[0], 1597 * 6 + 1596 * 13)

    def test_injected_regressions_of_any_size_are_named_with_their_size(self):
        """k extra calls in one method, from 0.1 % to 10 % of the work."""
        version = min(JDKS)
        classes = compile_java([HERE / "Regress.java"])

        def profile(extra, *options):
            return profile_of(version, "-cp", classes, "Regress", str(extra),
                              options=("--include", "Regress*", *options))[1]

        exactly = ("--granularity", "1", "--jitter", "0")
        base = profile(0, *exactly)

        def slower(path):
            return next(m["self"] for m in show_json(path, "methods")["methods"] if "slower" in m["method"])

        work, one_more = int(show_json(base)["metadata"]["bytecodes"]), profile(1, *exactly)
        per_iteration = int(show_json(one_more)["metadata"]["bytecodes"]) - work  # with the loop around the call
        per_call = slower(one_more) - slower(base)
        for percent in (0.1, 0.3, 1, 3, 10):
            calls = round(work * percent / 100 / per_call)
            size = 100 * calls * per_call / work
            after = profile(calls, *exactly)
            result = assay("diff", base, after, "--fail-over", f"{size * 0.9:.6f}", "--json", check=False)
            self.assertEqual(result.returncode, 1)
            found = {c.get("method"): c["growth"] for c in json.loads(result.stdout)["culprits"] if c.get("method")}
            self.assertEqual(list(found), ["Regress.slower(I)I"])
            self.assertAlmostEqual(found["Regress.slower(I)I"], size, delta=size * 0.02)
            self.assertEqual(assay("diff", base, after, "--fail-over", f"{size * 1.3:.6f}",
                                   check=False).returncode, 0)
        # With samples, the total is exact still.
        more = int(show_json(profile(1000))["metadata"]["bytecodes"])
        self.assertEqual(more - int(show_json(profile(0))["metadata"]["bytecodes"]), 1000 * per_iteration)

    @each_jdk()
    def test_weights(self, version):
        folder = pathlib.Path(tempfile.mkdtemp())
        listing = run(java(version, "javap"), "-c", "-p", "-cp", self.classes, "Counted").stdout
        body = listing.split("static int leaf(int);")[1].split("\n\n")[0]
        names = re.findall(r"^\s+\d+: (\w+)", body, re.MULTILINE)
        (folder / "weights").write_text("multiply 7\nload 3\n")
        cost = sum(7 if n == "imul" else 3 if n.startswith("iload") else 1 for n in names)
        _, path = self.profile(version, options=(*APPLICATION, "--granularity", "1", "--jitter", "0", "--weights",
                                                 folder / "weights"))
        leaf = [c for c in show_json(path, "contexts")["contexts"] if c["stack"][-1] == "Counted.leaf(I)I"]
        by_caller = {c["stack"][-2].split("(")[0]: c["self"] for c in leaf}
        self.assertEqual(by_caller["Counted.collections"], 20_000 * cost)
        (folder / "weights").write_text("multiply x\n")
        result, _ = self.profile(version, options=("--weights", folder / "weights"), check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("line 1: expected one whole number", result.stderr)

    @each_jdk()
    def test_calibrated_weights_are_accepted_and_their_error_is_stated(self, version):
        file = pathlib.Path(tempfile.mkdtemp()) / "weights"
        said = assay("calibrate", "--quick", "-o", file, "--", java(version)).stdout
        self.assertRegex(said, r"error: [\d.]+ % of the time of a program that was not used for the fit \(median of 63; "
                               r"[\d.]+ % when every")
        text = file.read_text()
        weights = dict(re.findall(r"^([a-z-]+) (\d+)$", text, re.MULTILINE))
        self.assertEqual(len(weights), 24)
        self.assertGreater(sum(map(int, weights.values())), 0)
        _, path = self.profile(version, options=(*APPLICATION, "--weights", file))
        self.assertIn("weights", show_json(path)["metadata"])
        # The instructions were counted by class, and their sum is right.
        listing = run(java(version, "javap"), "-c", "-p", "-cp", BUILD / "java" / "assay-calibrate.jar",
                      "assay.calibrate.KernelNumbers").stdout
        body = listing.split("static int xorshift(int);")[1].split("\n\n")[0]
        length = len(re.findall(r"^\s+\d+: \w+", body, re.MULTILINE))
        # Before the loop 4 instructions, its condition 3, behind it 2.
        counted = int(re.search(r"^# xorshift (\d+) ", text, re.MULTILINE)[1])
        self.assertLess(abs(counted - (4 + 3 * 1001 + (length - 9) * 1000 + 2)), 24)

    def test_calibrate_refuses_what_is_no_jvm(self):
        for command, said in ((("sh", "x.sh"), "write -- java"), (("/nowhere/java",), "cannot run /nowhere/java")):
            result = assay("calibrate", "--quick", "-o", "/dev/null", "--", *command, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)
        result = assay("calibrate", "--quick", "-o", "/dev/null", "--", java(min(JDKS)), "-XX:+NoSuchFlag", check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("ended with status 1", result.stderr)

    @each_jdk()
    def test_threads_have_a_field_for_their_counter(self, version):
        classes = compile_java([HERE / "Fields.java"])
        plain = run(java(version), "-cp", classes, "Fields").stdout.splitlines()
        self.assertEqual((plain[0], plain[2]), ("added:", "added:"))
        field = "added: java.lang.AssayCounter assay"
        for flags in ((), ("-Xshare:off",), ("-XX:+UseSerialGC",), ("-XX:+UseZGC",)):
            result, path = profile_of(version, *flags, "-cp", classes, "Fields", options=("--include", "Fields"))
            self.assertEqual(result.stdout.splitlines(), [field, plain[1], field], flags)
            work = [c for c in show_json(path, "contexts")["contexts"] if c["stack"][-1].startswith("Fields.work")]
            self.assertGreater(sum(c["self"] for c in work), 4 * 100_000)

    @each_jdk()
    def test_threads_of_a_jvm_attached_to_have_none_and_count_all_the_same(self, version):
        process = subprocess.Popen([java(version), "-cp", compile_java([HERE / "Fields.java"]), "Fields"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        path = tempfile.mktemp(suffix=".profile")
        assay("attach", process.pid, "--collect", "bytecodes", "-o", path)
        out, _ = process.communicate("\n")
        self.assertEqual((process.returncode, out.splitlines()[-1]), (0, "added:"))
        work = [c for c in show_json(path, "contexts")["contexts"] if c["stack"][-1].startswith("Fields.work")]
        self.assertGreater(sum(c["self"] for c in work), 4 * 100_000)

    def aot(self):
        """(JDK, a folder with a jar, what its program prints)"""
        version = max(JDKS)
        if version < 25:
            self.skipTest("needs JDK 25")
        folder = pathlib.Path(tempfile.mkdtemp())
        run(java(version, "jar"), "--create", "--file", folder / "fields.jar", "-C", compile_java([HERE / "Fields.java"]), ".")
        return version, folder, run(java(version), "-cp", folder / "fields.jar", "Fields").stdout

    def test_a_jvm_with_an_aot_cache_starts(self):
        """It did not while a class hook was there before the JVM had begun, so there the threads have no field."""
        version, folder, plain = self.aot()
        jar, cache, flags = folder / "fields.jar", folder / "fields.aot", folder / "flags"
        run(java(version), f"-XX:AOTCacheOutput={cache}", "-cp", jar, "Fields")
        self.assertTrue(cache.exists())
        flags.write_text(f"-XX:AOTCache={cache} -XX:AOTMode=on")
        only = ("--include", "Fields")
        for way, options in (((f"-XX:AOTCache={cache}", "-XX:AOTMode=on"), only), ((f"@{flags}",), only), ((f"-XX:AOTCache={cache}",), ())):
            result, path = profile_of(version, *way, "-cp", jar, "Fields", options=options)
            self.assertEqual(result.stdout, plain, way)
            self.assertGreater(total(path), 0)

    def test_a_jvm_that_records_an_aot_cache_is_left_alone(self):
        """It crashed at its end, writing the classes that had been rewritten."""
        version, folder, plain = self.aot()
        for collect in ("bytecodes", "exact", "sampled", "calls"):
            cache = folder / f"{collect}.aot"
            result, path = profile_of(version, f"-XX:AOTCacheOutput={cache}", "-cp", folder / "fields.jar", "Fields",
                                      collect=collect, check=False)
            self.assertEqual("\n".join(result.stdout.splitlines()[:3]) + "\n", plain)
            self.assertTrue(cache.exists(), collect)
            if collect == "calls":
                self.assertEqual((result.returncode, show_json(path)["metadata"]["collect"]), (0, "calls"))
            else:
                self.assertEqual(result.returncode, 3)
                self.assertIn("records its classes", result.stderr)

    @each_jdk()
    def test_a_jvm_that_writes_an_archive_at_its_end_is_not_rewritten(self, version):
        """JDK 25 crashed there after it had been attached to."""
        folder = pathlib.Path(tempfile.mkdtemp())
        run(java(version, "jar"), "--create", "--file", folder / "fields.jar", "-C", compile_java([HERE / "Fields.java"]), ".")
        for collect, status in (("exact", 3), ("calls", 0)):
            archive, path = folder / f"{collect}.jsa", folder / f"{collect}.profile"
            process = subprocess.Popen([java(version), f"-XX:ArchiveClassesAtExit={archive}", "-cp", folder / "fields.jar", "Fields"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
            process.stdout.readline()
            attached = assay("attach", process.pid, "--collect", collect, "-o", path, check=False)
            out, _ = process.communicate("\n")
            self.assertEqual((attached.returncode, "may crash" in attached.stderr), (status, status != 0), attached.stderr)
            self.assertEqual((process.returncode, archive.exists()), (0, True), out[-500:])

    def test_virtual_threads_and_their_carriers_do_not_wait_for_each_other(self):
        version = max(JDKS)
        if version < 21:
            self.skipTest("needs JDK 21")
        result, _ = profile_of(version, "-cp", compile_java([HERE / "Virtual.java"]), "Virtual")
        self.assertEqual(result.stdout, "done\n")

    def test_bad_granularity_is_refused(self):
        version = min(JDKS)
        result, _ = self.profile(version, options=("--granularity", "0"), check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("granularity must be between", result.stderr)
