"""`assay dump` against javap: the same instructions, operands and exception tables."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from assay_test import ASSAY, JDKS, compile_java, java, run

HERE = pathlib.Path(__file__).resolve().parent
INSTRUCTION = re.compile(r"^\s+(\d+): ([a-z][a-z0-9_]*)\s*(.*)$")
CASE = re.compile(r"^\s+(-?\d+|default): (\d+)$")
RANGE = re.compile(r"^\s+(\d+)\s+(\d+)\s+(\d+)\s+(any|[Cc]lass .*)$")


def instructions(text):
    """[(bci, name, operands, comment)] and the exception ranges, for all methods in order."""
    listing, ranges = [], []
    for line in text.splitlines():
        if match := INSTRUCTION.match(line):
            operands, _, comment = match[3].partition("//")
            # javap says what a switch covers, dump how many targets it has.
            if match[2].endswith("switch"):
                comment = ""
            listing.append((int(match[1]), match[2], " ".join(operands.split()), comment.strip()))
        elif match := RANGE.match(line):
            ranges.append((match[1], match[2], match[3], match[4].lower()))
        elif match := CASE.match(line):
            listing.append((match[1], match[2]))
    return listing, ranges


class DumpTest(unittest.TestCase):
    def compare(self, path):
        ours = instructions(run(ASSAY, "dump", "--plain", path).stdout)
        javap = instructions(run(java(min(JDKS), "javap"), "-c", "-p", path).stdout)
        self.assertGreater(len(javap[0]), 0)
        self.assertEqual(len(ours[0]), len(javap[0]))
        for mine, his in zip(ours[0], javap[0]):
            # Numbers are formatted in other ways: compare them by kind only.
            if len(mine) == 4 and mine[3].split(" ")[0] in ("float", "double", "long", "String"):
                mine, his = mine[:3], his[:3]
            self.assertEqual(mine, his)
        self.assertEqual(ours[1], javap[1])

    def test_programs(self):
        for release in ("8", "17"):
            folder = compile_java([HERE / "Shapes.java"], "--release", release)
            for path in sorted(pathlib.Path(folder).glob("*.class")):
                with self.subTest(release=release, path=path.name):
                    self.compare(path)

    def test_classes_of_the_jdk(self):
        folder = pathlib.Path(compile_java([HERE / "Shapes.java"]))
        names = ["java/util/HashMap", "java/lang/String", "java/util/regex/Pattern",
                 "java/util/concurrent/ForkJoinPool", "java/lang/invoke/MethodHandles$Lookup"]
        jmod = JDKS[min(JDKS)] / "jmods" / "java.base.jmod"
        if not jmod.exists():
            self.skipTest("a JDK without jmods")
        subprocess.run([java(min(JDKS), "jmod"), "extract", "--dir", folder / "base", jmod], check=True)
        for name in names:
            with self.subTest(name=name):
                self.compare(folder / "base" / "classes" / f"{name}.class")

    def test_characters_beyond_the_bmp_are_what_they_are(self):
        with tempfile.TemporaryDirectory(prefix="assay-dump-") as folder:
            source = pathlib.Path(folder, "Script.java")
            source.write_text('class Script { static String \U0001d4b3() { return "\U0001d4b3\\0"; } }', encoding="utf-8")
            compile_java([source], "-encoding", "UTF-8", out=folder)
            dumped = subprocess.run([ASSAY, "dump", pathlib.Path(folder, "Script.class")], capture_output=True).stdout.decode()
        self.assertIn("\U0001d4b3()", dumped)
        self.assertIn('\U0001d4b3\\u0000', dumped)

    def test_bad_input(self):
        source = HERE / "Shapes.java"
        result = run(ASSAY, "dump", source, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("not a class file", result.stderr)
        self.assertEqual(run(ASSAY, "dump", "/nowhere", check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
