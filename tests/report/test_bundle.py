"""The committed page is what the sources in web/ and the lock file build."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from assay_test import ROOT

WEB = ROOT / "web"


class BundleTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("npm"), "no npm here to rebuild the page with")
    def test_the_page_is_current(self):
        with tempfile.TemporaryDirectory(prefix="assay-web-") as folder:
            copy = pathlib.Path(folder) / "web"
            shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
            install = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=copy,
                                     capture_output=True, text=True, timeout=300)
            if install.returncode and any(code in install.stderr for code in
                                          ("ENOTFOUND", "ECONNREFUSED", "EAI_AGAIN", "ETIMEDOUT")):
                self.skipTest("npm reaches no registry from here")
            self.assertEqual(install.returncode, 0, install.stderr)
            types = subprocess.run(["npm", "run", "--silent", "check"], cwd=copy, capture_output=True, text=True)
            self.assertEqual(types.returncode, 0, types.stdout)
            subprocess.run(["npm", "run", "--silent", "build", "--", folder], cwd=copy, check=True,
                           capture_output=True)
            for name in ("report.html", "live.html"):
                self.assertEqual((pathlib.Path(folder) / name).read_bytes(),
                                 (ROOT / "src/report/assets" / name).read_bytes(),
                                 f"src/report/assets/{name} is not current: cd web && npm ci && npm run build")

    def test_the_lock_file_names_no_registry(self):
        lock = json.loads((WEB / "package-lock.json").read_text())
        for name, package in lock["packages"].items():
            self.assertNotIn("resolved", package, name)
            if name:
                self.assertIn("integrity", package, name)
