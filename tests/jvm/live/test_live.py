"""assay live: the page in a real browser while a program runs, and who is turned away."""
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

from assay_test import ASSAY, NEWEST, ROOT, compile_java, each_jdk, java

sys.path.insert(0, str(ROOT / "tests" / "report"))
import browser  # noqa: E402

SHAPES = ROOT / "tests" / "jvm" / "contexts" / "Shapes.java"


class LiveRun:
    """`assay live` with its address; ended at the end of the block."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([ASSAY, "live", *map(str, arguments)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.errors = ""
        for line in self.process.stderr:
            self.errors += line
            if match := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", line):
                self.url, self.port, self.token = match[0], int(match[1]), match[2]
                return
        raise AssertionError(f"no address: {self.errors}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.stderr.close()
        self.process.wait(30)

    def request(self, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def events(self, name, count, seconds=30):
        """The next events of one name."""
        found = []
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        stream.sendall(f"GET /events?token={self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        with stream, stream.makefile(encoding="utf-8") as lines:
            event = None
            for line in lines:
                if line.startswith("event: "):
                    event = line[7:].strip()
                elif line.startswith("data: ") and event == name:
                    found.append(json.loads(line[6:]))
                    if len(found) == count:
                        return found
        return found


class LiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([SHAPES])

    def program(self, version=None, seconds=60):
        return [java(version or NEWEST), "-cp", self.classes, "Shapes", "shape", str(seconds)]

    def test_strangers_are_refused(self):
        with LiveRun("--", *self.program()) as live:
            path = f"/?token={live.token}"
            here = {"Host": f"127.0.0.1:{live.port}"}
            self.assertEqual(live.request("GET", path)[0], 200)
            self.assertEqual(live.request("GET", "/")[0], 403)
            self.assertEqual(live.request("GET", "/?token=" + "0" * 32)[0], 403)
            self.assertEqual(live.request("GET", "/events")[0], 403)
            self.assertEqual(live.request("POST", "/control", body="stop")[0], 403)
            self.assertEqual(live.request("GET", path, {"Host": f"evil.example:{live.port}"})[0], 421)
            evil = {**here, "Origin": "http://evil.example"}
            self.assertEqual(live.request("POST", f"/control?token={live.token}", evil, "stop")[0], 403)
            self.assertEqual(live.request("GET", f"/nothing?token={live.token}")[0], 404)
            self.assertEqual(live.request("GET", f"/control?token={live.token}")[0], 405)
            status, answer = live.request("POST", f"/control?token={live.token}", here, "dance")
            self.assertEqual(status, 400)
            # Loopback only: no other address of this machine answers.
            other = socket.gethostbyname(socket.gethostname())
            if not other.startswith("127."):
                with self.assertRaises(OSError):
                    socket.create_connection((other, live.port), timeout=2).close()

    @each_jdk()
    def test_follows_controls_and_detaches(self, version):
        program = subprocess.Popen(self.program(version), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            with LiveRun("--tick", "2ms", program.pid) as live:
                first, second = live.events("profile", 2)
                names = set(second["strings"])
                self.assertIn("spin", names)
                before, after = (int(p["profiles"][0]["metadata"]["samples-taken"]) for p in (first, second))
                self.assertGreater(after, before)
                control = f"/control?token={live.token}"
                self.assertEqual(live.request("POST", control, body="tick 5ms")[0], 200)
                self.assertEqual(live.events("state", 1)[0]["tick"], "5ms")
                self.assertEqual(live.request("POST", control, body="tick 1us")[0], 400)
                self.assertEqual(live.request("POST", control, body="stop")[0], 200)
                self.assertFalse(live.events("state", 1)[0]["running"])
                self.assertEqual(live.request("POST", control, body="start")[0], 200)
                self.assertTrue(live.events("state", 1)[0]["running"])
            self.assertEqual(live.process.returncode, 0)
            status = subprocess.run([ASSAY, "detach", str(program.pid)], capture_output=True, text=True)
            self.assertIn("nothing is being profiled", status.stderr)
            self.assertIsNone(program.poll())
        finally:
            program.kill()
            program.wait()

    def test_ends_with_the_program_and_its_status(self):
        with LiveRun("--", *self.program(seconds=2)) as live:
            live.process.wait(60)
        self.assertEqual(live.process.returncode, 0)

    def test_bad_targets(self):
        for target, status in ((["999999999"], 3), ([], 2)):
            result = subprocess.run([ASSAY, "live", *target], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn("assay:", result.stderr)

    @unittest.skipUnless(browser.available(), "no Chromium here")
    def test_the_page_while_the_program_runs(self):
        with LiveRun("--", *self.program()) as live, browser.Browser() as page:
            page.visit(live.url)
            page.wait("return performance.getEntriesByName('assay-ready').length > 0", seconds=60)
            page.wait("return document.querySelector('#live-state').textContent == 'running'")
            page.wait("return document.body.innerText.includes('Contexts')")
            page.wait("return document.querySelector('canvas') !== null")
            samples = "return parseFloat(document.querySelector('#live-samples').textContent.replace(',', '')) > 10"
            page.wait(samples, seconds=60)
            for figure in ("#live-own", "#live-density", "#live-load"):
                page.wait("return /\\d/.test(document.querySelector(arguments[0]).textContent)", figure)
            page.js("location.hash = '#/edges'")
            page.wait("return document.body.innerText.includes('spin')")
            page.js("location.hash = '#/methods'")
            page.wait("return document.querySelector('h1').innerText.includes('methods')")
            page.click("#live-toggle")
            page.wait("return document.querySelector('#live-state').textContent == 'stopped'")
            page.click("#live-toggle")
            page.wait("return document.querySelector('#live-state').textContent == 'running'")
            live.process.send_signal(signal.SIGTERM)
            page.wait("return document.querySelector('#live-state').textContent.includes('ended')")
            self.assertEqual([m for m in page.console() if m.get("level") == "SEVERE"
                              and "ERR_" not in m.get("message", "")], [])


if __name__ == "__main__":
    unittest.main()
