"""JDKs beside 17 and 25 that are on this machine: the compiler of the JDK itself, with every collector of profiles.

tools/newer_jdks.sh fetches such JDKs; ASSAY_TEST_JDKS=21,27 has all other tests run on them.
"""
import filecmp
import pathlib
import tempfile
import unittest

from assay_test import JDKS, TESTED, assay, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).resolve().parent
OTHERS = tuple(sorted(v for v in JDKS if v not in TESTED and v >= 17))
SOURCE = HERE.parent / "bytecodes" / "Counted.java"
# What it takes to see something of a second: --by ... has rows, and how many there are at least.
COLLECTORS = {"calls": ("edges", 100), "contexts": ("contexts", 100), "exact": ("edges", 5000),
              "sampled": ("edges", 1000), "bytecodes": ("contexts", 1000)}


@unittest.skipUnless(OTHERS, "no JDK here but those that are tested anyway (tools/newer_jdks.sh fetches some)")
class OtherJdks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-other-"))

    def compiler(self, version, out):
        return (java(version), "-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-proc:none", "-d",
                self.folder / out, SOURCE)

    @each_jdk(OTHERS)
    def test_the_compiler_does_the_same_under_every_collector(self, version):
        run(*self.compiler(version, f"plain{version}"))
        plain = sorted((self.folder / f"plain{version}").rglob("*.class"))
        self.assertGreater(len(plain), 0)
        for collector, (by, least) in COLLECTORS.items():
            with self.subTest(collector=collector):
                profile = self.folder / f"{collector}{version}.assay"
                out = f"{collector}{version}"
                assay("run", "--collect", collector, "-o", profile, "--", *self.compiler(version, out))
                for file in plain:
                    self.assertTrue(filecmp.cmp(file, self.folder / out / file.name, shallow=False), file.name)
                self.assertGreater(len(show_json(profile, by)[by]), least)

    @each_jdk(OTHERS)
    def test_yieldpoints_are_found(self, version):
        lines = assay("doctor", "--", java(version)).stdout.splitlines()
        works = {line.split()[0]: line.split()[1] == "yes" for line in lines}
        self.assertTrue(works["return"] and works["walker"] and works["rewrite"], lines)
        self.assertEqual(works["entry"], version >= 20, lines)


if __name__ == "__main__":
    unittest.main()
