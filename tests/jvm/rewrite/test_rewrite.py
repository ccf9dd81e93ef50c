"""assay rewrite: a jar that profiles itself, behaves as before, and agrees with the native agent."""
import os
import pathlib
import re
import resource
import shutil
import stat
import subprocess
import tempfile
import time
import unittest
import zipfile

from assay_test import ASSAY, assay, compile_java, each_jdk, java, run, show_json, BUILD, JDKS, TESTED

HERE = pathlib.Path(__file__).parent
OLDEST = min(JDKS)


def folder():
    return pathlib.Path(tempfile.mkdtemp(prefix="assay-rewrite-"))


def tool(name, *arguments):
    return run(java(OLDEST, name), *arguments)


def make_jar(path, classes, *options):
    tool("jar", "--create", "--file", path, *options, "-C", classes, ".")
    return path


def contexts(profile):
    return show_json(profile, "contexts")["contexts"]


class Rewritten(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        classes = pathlib.Path(compile_java([HERE / "Portable.java"]))
        (classes / "data.bin").write_bytes(b"x" * 5000)
        cls.classes = classes
        cls.jar = make_jar(cls.folder / "app.jar", classes, "--main-class", "Portable")
        cls.out = cls.folder / "app.profiled.jar"
        cls.said = assay("rewrite", cls.jar, "-o", cls.out).stderr

    def profile(self, version, *flags, jar=None):
        path = folder() / "p"
        result = run(java(version), f"-Dassay.output={path}", *flags, "-jar", jar or self.out)
        return result, path

    @each_jdk()
    def test_output_is_unchanged_and_classes_verify(self, version):
        plain = run(java(version), "-jar", self.jar)
        result, path = self.profile(version, "-Xverify:all")
        self.assertEqual((result.stdout, result.stderr), (plain.stdout, ""))
        self.assertTrue(path.exists())

    @each_jdk()
    def test_exceptions_caught_by_the_jdk_leave_no_frames(self, version):
        _, path = self.profile(version, "-Dassay.granularity=500")
        stacks = [[f.split("(")[0] for f in c["stack"]] for c in contexts(path)]
        self.assertIn(["Portable.afterFailures", "Portable.work"], stacks)
        self.assertFalse([s for s in stacks if "Portable.work" in s and "Portable.failing" in s])
        self.assertIn(["Portable.main", "Portable.work"], stacks)
        callbacks = [s for s in stacks if "Portable.sorted" in s and "Portable.work" in s]
        self.assertTrue(callbacks)
        self.assertTrue(all(s[:2] == ["Portable.main", "Portable.sorted"] for s in callbacks))

    @each_jdk()
    def test_a_stack_that_ends_in_the_middle_of_a_sample_ends_nothing_else(self, version):
        """An overflow while a sample was taken used to be the last sample of its thread, in both forms."""
        classes = compile_java([HERE.parent / "bytecodes" / "Overflowing.java"])
        jar = make_jar(folder() / "overflowing.jar", classes, "--main-class", "Overflowing")
        rewritten = jar.with_name("rewritten.jar")
        assay("rewrite", jar, "-o", rewritten)
        portable, native = self.profile(version, "-Xss512k", "-Dassay.granularity=100", jar=rewritten)[1], folder() / "native"
        assay("run", "-q", "--collect", "bytecodes", "--granularity", "100", "--include", "Overflowing*", "-o", native, "--",
              java(version), "-Xss512k", "-jar", jar)
        for path in (portable, native):
            work = sum(c["self"] for c in contexts(path) if c["stack"][-1].startswith(("Overflowing.work(", "Overflowing.step(")))
            self.assertAlmostEqual(work / 1_800_000, 1, delta=0.01)

    @each_jdk()
    def test_equal_runs_write_equal_files(self, version):
        first, second = (self.counted(version, flags) for flags in ((), ("-Xint", "-Xmx64m", "-XX:+UseSerialGC")))
        self.assertEqual(first, second)

    def counted(self, version, flags):
        jar = self.folder / "counted.jar"
        if not jar.exists():
            classes = compile_java([HERE.parent / "bytecodes" / "Counted.java"])
            make_jar(self.folder / "counted.original.jar", classes, "--main-class", "Counted")
            assay("rewrite", self.folder / "counted.original.jar", "-o", jar)
        return self.profile(version, *flags, jar=jar)[1].read_bytes()

    def test_equal_files_on_every_jdk(self):
        files = {v: self.counted(v, ()) for v in TESTED if v in JDKS}
        self.assertEqual(len(set(files.values())), 1)

    @each_jdk()
    def test_counts_are_those_of_the_native_agent(self, version):
        self.counted(version, ())
        _, portable = self.profile(version, jar=self.folder / "counted.jar")
        native = folder() / "native"
        assay("run", "-q", "--collect", "bytecodes", "--include", "Counted*", "-o", native, "--", java(version),
              "-jar", self.folder / "counted.original.jar")
        self.assertEqual(show_json(portable)["metadata"]["bytecodes"], show_json(native)["metadata"]["bytecodes"])
        self.assertIn("nothing changed", assay("diff", native, portable).stdout)

    def test_equal_jars_come_out_equal_and_once_is_enough(self):
        again = self.folder / "again.jar"
        assay("rewrite", self.jar, "-o", again)
        self.assertEqual(again.read_bytes(), self.out.read_bytes())
        result = assay("rewrite", self.out, "-o", self.folder / "x.jar", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("was rewritten before", result.stderr)

    def test_bad_input_is_refused(self):
        broken = self.folder / "broken.jar"
        broken.write_bytes(self.jar.read_bytes()[:-100])
        for arguments, text in (((broken, "-o", self.folder / "y.jar"), "not a jar"),
                                ((self.folder / "none.jar", "-o", self.folder / "y.jar"), "does not exist"),
                                ((self.jar, "-o", self.jar), "is the input"),
                                ((self.jar, "-o", self.folder / "y.jar", "--granularity", "0"), "granularity")):
            result = assay("rewrite", *arguments, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)
        self.assertFalse(list(self.folder.glob("y.jar*")))

    @each_jdk()
    def test_a_stack_overflow_under_a_monitor_comes_to_an_end(self, version):
        classes = compile_java([HERE.parent / "exact" / "Monitors.java"])
        out = folder() / "classes"
        assay("rewrite", classes, "-o", out)
        result = run(java(version), "-Xverify:all", f"-Dassay.output={folder() / 'p'}", "-cp", out, "Monitors")
        self.assertEqual(result.stdout, "done\n")

    @each_jdk()
    def test_an_empty_finalizer_stays_empty(self, version):
        classes = compile_java([HERE.parent / "exact" / "EmptyFinalizer.java"])
        out = folder() / "classes"
        assay("rewrite", classes, "-o", out)
        result = run(java(version), f"-Dassay.output={folder() / 'p'}", "-cp", out, "EmptyFinalizer")
        self.assertEqual(result.stdout, "gone after one collection: true\n")

    @each_jdk()
    def test_a_class_folder(self, version):
        out = folder() / "classes"
        assay("rewrite", self.classes, "-o", out)
        self.assertEqual((out / "data.bin").read_bytes(), (self.classes / "data.bin").read_bytes())
        path = folder() / "p"
        result = run(java(version), f"-Dassay.output={path}", "-cp", out, "Portable")
        self.assertEqual(result.stdout, run(java(version), "-cp", self.classes, "Portable").stdout)
        self.assertTrue(contexts(path))

    @each_jdk()
    def test_an_agent_of_somebody_else(self, version):
        runtime = BUILD / "assay-runtime.jar"
        agent = compile_java([HERE / "CountingAgent.java"], "-cp", str(runtime))
        command = (java(version), "-Dassay.agent=CountingAgent", "-cp", f"{self.folder / 'counted.jar'}:{agent}",
                   "Counted")
        self.counted(version, ())
        results = [run(*command) for _ in range(2)]
        self.assertEqual(results[0].stderr, results[1].stderr)
        total, seen = re.fullmatch(r"(\d+) \{(.*)\}\n", results[0].stderr).groups()
        self.assertGreater(int(total), 1_000_000)
        self.assertIn("Counted.fib(I)I=", seen)

    @each_jdk()
    def test_an_agent_that_is_missing_is_said_and_the_program_runs(self, version):
        result, path = self.profile(version, "-Dassay.agent=Nowhere")
        self.assertIn("the agent Nowhere cannot be used", result.stderr)
        self.assertEqual(result.stdout, run(java(version), "-jar", self.jar).stdout)
        self.assertFalse(path.exists())

    def test_on_request(self):
        place = folder()
        (place / "Forever.java").write_text(
            "public class Forever { static int f(int i) { return i * 3; } public static void main(String[] a) {"
            " int s = 0; while (true) { s += f(s); } } }")
        out = folder() / "classes"
        assay("rewrite", compile_java([place / "Forever.java"]), "-o", out)
        path, request = folder() / "p", folder() / "now"
        process = subprocess.Popen([java(OLDEST), f"-Dassay.output={path}", f"-Dassay.request={request}", "-cp",
                                    str(out), "Forever"])
        try:
            while not path.exists() or request.exists():
                request.touch() if not request.exists() else None
                time.sleep(0.1)
                self.assertIsNone(process.poll())
            self.assertIn("Forever.main([Ljava/lang/String;)V", [c["stack"][0] for c in contexts(path)])
        finally:
            process.kill()
            process.wait()


class Packaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        sources = HERE / "modular"
        cls.classes = compile_java([sources / "module-info.java", sources / "hello" / "Hello.java"])
        cls.jar = make_jar(cls.folder / "hello.jar", cls.classes, "--main-class", "hello.Hello")

    def check(self, version, jar, *how):
        path = folder() / "p"
        result = run(java(version), f"-Dassay.output={path}", *how)
        self.assertTrue([c for c in contexts(path) if c["stack"][-1] == "hello.Hello.count(I)I"], how)
        return result

    @each_jdk()
    def test_modules(self, version):
        out = self.folder / f"hello{version}.jar"
        assay("rewrite", self.jar, "-o", out)
        module = self.check(version, out, "-p", out, "-m", "hello.world/hello.Hello")
        self.assertIn("hello from module hello.world", module.stdout)
        self.assertIn("unnamed module", self.check(version, out, "-jar", out).stdout)

    @each_jdk()
    def test_a_module_that_reads_the_runtime(self, version):
        out = self.folder / f"outside{version}.jar"
        assay("rewrite", self.jar, "-o", out, "--runtime", "outside")
        self.check(version, out, "-p", f"{out}:{BUILD / 'assay-runtime.jar'}", "-m", "hello.world/hello.Hello")
        self.assertFalse([n for n in zipfile.ZipFile(out).namelist() if n.startswith("assay/")])

    def test_signed_jars_lose_their_signature_and_it_is_said(self):
        store, signed, out = (self.folder / n for n in ("keys", "signed.jar", "unsigned.jar"))
        secret = ("-storepass", "changeit", "-keystore", store)
        tool("keytool", "-genkeypair", "-alias", "k", "-dname", "CN=test", "-keyalg", "RSA", *secret)
        shutil.copy(self.jar, signed)
        tool("jarsigner", *secret, signed, "k")
        result = assay("rewrite", signed, "-o", out)
        self.assertIn("the signature does not hold", result.stderr)
        self.assertFalse([n for n in zipfile.ZipFile(out).namelist() if re.search(r"\.(SF|RSA|EC|DSA)$", n)])
        self.assertNotIn(b"-Digest", zipfile.ZipFile(out).read("META-INF/MANIFEST.MF"))
        self.check(OLDEST, out, "-jar", out)

    def test_multi_release_jars_and_resources(self):
        base, newer, jar, out = (self.folder / n for n in ("base", "newer", "multi.jar", "multi.out.jar"))
        for place, text in ((base, "old"), (newer, "new")):
            (place / "src").mkdir(parents=True)
            (place / "src" / "V.java").write_text(
                "public class V { static String v() { int s = 0; for (int i = 0; i < 50000; i++) s += i; return \""
                + text + "\" + s; } public static void main(String[] a) { System.out.println(v()); } }")
            compile_java([place / "src" / "V.java"], out=str(place / "classes"))
        (base / "classes" / "r.txt").write_bytes(b"resource\r\n" * 1000)
        make_jar(jar, base / "classes", "--main-class", "V")
        tool("jar", "--update", "--file", jar, "--release", "11", "-C", newer / "classes", ".")
        with zipfile.ZipFile(jar, "a") as archive:
            archive.writestr("stored.bin", bytes(range(256)) * 40, compress_type=zipfile.ZIP_STORED)
        assay("rewrite", jar, "-o", out)
        path = folder() / "p"
        result = run(java(OLDEST), f"-Dassay.output={path}", "-jar", out)
        self.assertEqual(result.stdout, run(java(OLDEST), "-jar", jar).stdout)
        self.assertTrue(result.stdout.startswith("new"))
        self.assertTrue(contexts(path))
        before, after = zipfile.ZipFile(jar), zipfile.ZipFile(out)
        self.assertEqual(after.namelist()[:len(before.namelist())], before.namelist())
        for name in ("r.txt", "stored.bin", "META-INF/MANIFEST.MF"):
            self.assertEqual(after.read(name), before.read(name))
            self.assertEqual(after.getinfo(name).compress_type, before.getinfo(name).compress_type)
        self.assertNotEqual(after.read("META-INF/versions/11/V.class"), before.read("META-INF/versions/11/V.class"))

    def test_the_output_is_a_file_and_nothing_else(self):
        place = folder()
        jar, out = shutil.copy(self.jar, place / "t.jar"), place / "out.jar"
        pipe, pointed, link, weights = (place / n for n in ("pipe", "pointed.jar", "link.jar", "weights"))
        os.mkfifo(pipe)
        for output, reason in ((pipe, "not a regular file"), (place, "not a regular file"), (jar, "is the input")):
            refused = assay("rewrite", jar, "-o", output, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(reason, refused.stderr)
            self.assertNotIn("->", refused.stderr)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        pointed.write_text("replaced")
        link.symlink_to(pointed)
        assay("rewrite", jar, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("META-INF/assay/methods", zipfile.ZipFile(pointed).namelist())
        weights.write_text("")
        for options in (("--weights", place), ("--weights", weights, "-o", weights)):
            self.assertEqual(assay("rewrite", jar, "-o", out, *options, check=False).returncode, 2)
        self.assertEqual(weights.read_text(), "")
        self.assertEqual(sorted(p.name for p in place.iterdir()), ["link.jar", "pipe", "pointed.jar", "t.jar", "weights"])

    def test_an_input_that_cannot_be_read_is_not_said_to_be_missing(self):
        out = folder() / "out.jar"
        for jar, reason in (("x" * 5000, "File name too long"), ("/dev/null", "neither a jar nor a folder"), (HERE / "none.jar", "does not exist")):
            refused = assay("rewrite", jar, "-o", out, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(reason, refused.stderr)

    def test_a_full_disk_leaves_nothing_behind(self):
        place = folder()
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        result = run(ASSAY, "rewrite", self.jar, "-o", place / "out.jar", check=False, preexec_fn=full, restore_signals=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot be written", result.stderr)
        self.assertEqual(list(place.iterdir()), [])

    def test_two_jars_rewritten_apart_run_together(self):
        place = folder()
        for name, body in (("A", "static int a(int n) { int s = 0; for (int i = 0; i < n; i++) s += B.b(i); return s; }"
                                 " public static void main(String[] x) { System.out.println(a(50000)); }"),
                           ("B", "static int b(int n) { return n % 7 > 2 ? n * 3 : n; }")):
            (place / f"{name}.java").write_text(f"public class {name} {{ {body} }}")
        classes = pathlib.Path(compile_java([place / "A.java", place / "B.java"]))
        for name in "AB":
            with zipfile.ZipFile(place / f"{name}.jar", "w") as jar:
                jar.write(classes / f"{name}.class", f"{name}.class")
            assay("rewrite", place / f"{name}.jar", "-o", place / f"{name}.out.jar")
        path = folder() / "p"
        run(java(OLDEST), f"-Dassay.output={path}", "-Dassay.granularity=100", "-cp",
            f"{place / 'A.out.jar'}:{place / 'B.out.jar'}", "A")
        self.assertIn(["A.main([Ljava/lang/String;)V", "A.a(I)I", "B.b(I)I"], [c["stack"] for c in contexts(path)])


class RealPrograms(unittest.TestCase):
    """The distribution's own jars; skipped, and said so, where they are not installed."""

    def check(self, version, jar, *command, normalize=lambda text: text, least=20):
        jar = pathlib.Path("/usr/share/java") / jar
        if not jar.exists():
            self.skipTest(f"no {jar}")
        out = pathlib.Path(tempfile.gettempdir()) / f"assay-test-{jar.name}"
        if not getattr(type(self), jar.name, None):
            assay("rewrite", jar, "-o", out)
            setattr(type(self), jar.name, True)
        path, place = folder() / "p", folder()
        plain = run(java(version), "-cp", jar, *command, cwd=place)
        result = run(java(version), f"-Dassay.output={path}", "-cp", out, *command, cwd=place)
        self.assertEqual(normalize(result.stdout), normalize(plain.stdout))
        self.assertEqual(result.stderr, plain.stderr)
        self.assertGreater(len(contexts(path)), least)

    @each_jdk()
    def test_h2_shell(self, version):
        self.check(version, "h2.jar", "org.h2.tools.Shell", "-url", "jdbc:h2:mem:x", "-sql",
                   "create table t as select x, x * 7 % 31 y from system_range(1, 20000);"
                   "select y, count(*), sum(x) from t group by y order by y",
                   normalize=lambda text: re.sub(r"\d+ ms", "", text))

    @each_jdk()
    def test_rhino(self, version):
        self.check(version, "rhino.jar", "org.mozilla.javascript.tools.shell.Main", "-e",
                   "function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } var o = {}; "
                   "for (var i = 0; i < 3000; i++) o['k' + i % 50] = f(i % 12); print(JSON.stringify(o));")

    @each_jdk()
    def test_ecj(self, version):
        self.check(version, "eclipse-jdt-core.jar", "org.eclipse.jdt.internal.compiler.batch.Main", "-17", "-d",
                   "none", "-proc:none", "-verbose", str(HERE / "Portable.java"),
                   normalize=lambda text: re.sub(r"\d+ ms|[\d.]+ lines/s", "", text))


if __name__ == "__main__":
    unittest.main()
