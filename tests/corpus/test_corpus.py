"""A few thousand real classes through the library, every pass and the JVM's verifiers."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import verifiers
from assay_test import BUILD, JDKS, TESTED, compile_java, each_jdk, java, run

TOOL = BUILD / "corpus_tool"
HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 1000


def passes(*without):
    names = run(TOOL, "--list").stdout.split()
    return [n for n in names if n not in without]


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="assay-corpus-")
        cls.folder = pathlib.Path(cls.work.name)
        cls.commands = verifiers.build(cls.folder, [v for v in TESTED if v in JDKS])

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def rewrite(self, archive, names, limit=10**9):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        totals = json.loads(run(TOOL, "--passes", ",".join(names), "--limit", limit, "--out", out,
                                archive).stdout)
        return totals, [out / f"0.{n}.jar" for n in names]

    def verify(self, verifier, original, jars):
        list_file = self.folder / "list"
        list_file.write_text("\t".join([str(original), *map(str, jars)]) + "\n")
        return verifiers.run(self.commands[verifier], list_file)

    def archive_of_jdk(self, version):
        """java.base in one archive."""
        jmod = JDKS[version] / "jmods" / "java.base.jmod"
        if jmod.exists():
            return jmod
        archive = self.folder / f"jdk{version}.jar"
        if not archive.exists():
            folder = self.folder / f"jdk{version}"
            run(java(version, "jimage"), "extract", "--dir", folder, "--include",
                "regex:/java.base/java/.*", JDKS[version] / "lib" / "modules")
            run(java(version, "jar"), "cf0", archive, "-C", folder / "java.base", ".")
        return archive

    @each_jdk()
    def test_classes_of_the_jdk(self, version):
        names = passes("spread", "entry")
        totals, jars = self.rewrite(self.archive_of_jdk(version), names, LIMIT)
        self.assertEqual(totals["classes"], LIMIT)
        self.assertEqual(totals["not_identical"], 0)
        self.assertEqual(totals["refused"], 0)
        for name, one in totals["passes"].items():
            self.assertLess(one["skipped"], one["methods"] * 0.001 + 1, (name, one))
        for verifier in self.commands:
            if not verifier.endswith(str(version)):
                continue
            result = self.verify(verifier, "jdk", jars)
            self.assertEqual(result["rejected"], 0, result["lines"][:5])
            # Value classes of JDK 28 are there a second time, under META-INF, for who switches them on.
            self.assertLess(totals["elsewhere"], LIMIT // 10)
            self.assertEqual(result["verified"], (LIMIT - totals["elsewhere"]) * len(names))

    def compiled(self, *options):
        classes = compile_java([HERE / "Shapes.java"], *options)
        jar = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "original.jar"
        run(java(min(JDKS), "jar"), "cf0", jar, "-C", classes, ".")
        return jar

    @each_jdk()
    def test_edited_program_still_works(self, version):
        """Edits that add control flow, locals, handlers, far jumps: same output as the original."""
        for release in ("8", "17"):
            original = self.compiled("--release", release, "-g")
            expected = run(java(version), "-cp", original, "Shapes").stdout
            self.assertIn("done", expected)
            # exact needs its runtime class; wrap, clone, spread, infer only the JDK.
            for name in ("reencode", "entry", "wrap", "clone", "spread", "infer",
                         "prepend"):
                _, jars = self.rewrite(original, [name])
                got = run(java(version), "-Xverify:all", "-cp", jars[0], "Shapes").stdout
                self.assertEqual(got, expected, (release, name))

    @each_jdk()
    def test_inferred_frames_need_no_class_that_the_old_ones_did_not(self, version):
        """Narrower types than the old frames would make the verifier load a class that is missing here."""
        source = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "Meet.java"
        source.write_text("class Missing {} class Base extends Missing {} class A extends Base {} class B extends Base {}\n"
                          "public class Meet { static int f(boolean b) { Object o; if (b) o = new A(); else o = new B();"
                          " return o.hashCode(); }\n"
                          "public static void main(String[] x) { System.out.println(\"linked\"); } }\n")
        classes = pathlib.Path(compile_java([source]))
        (classes / "Missing.class").unlink()
        original = source.parent / "original.jar"
        run(java(min(JDKS), "jar"), "cf0", original, "-C", classes, ".")
        _, jars = self.rewrite(original, ["infer"])
        for jar in (original, jars[0]):
            self.assertEqual(run(java(version), "-Xverify:all", "-cp", jar, "Meet").stdout, "linked\n")

    def test_far_jumps_were_widened(self):
        _, jars = self.rewrite(self.compiled(), ["spread"])
        listing = run(java(min(JDKS), "javap"), "-c", "-p", "-cp", jars[0], "Shapes").stdout
        self.assertIn("goto_w", listing)

    def test_a_broken_class_is_rejected(self):
        """The harness itself: wrong frames must be seen by every verifier."""
        original = self.compiled()
        broken = self.folder / "broken.jar"
        import zipfile
        with zipfile.ZipFile(original) as old, zipfile.ZipFile(broken, "w") as new:
            for entry in old.namelist():
                data = old.read(entry)
                if entry == "Shapes.class":
                    # A StackMapTable that nobody finds is as good as none.
                    self.assertIn(b"StackMapTable", data)
                    data = data.replace(b"StackMapTable", b"StackMapTablf")
                if entry.endswith(".class"):
                    new.writestr(entry, data)
        for verifier in self.commands:
            result = self.verify(verifier, original, [broken])
            self.assertEqual(result["rejected"], 1, (verifier, result))


if __name__ == "__main__":
    unittest.main()
