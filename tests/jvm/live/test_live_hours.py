"""The live view over hours, in a hurry: hundreds of updates must leave memory as it was, in the page and in the command."""
import http.server
import json
import pathlib
import socket
import sys
import threading
import time
import unittest

from assay_test import NEWEST, ROOT, compile_java, java

sys.path.insert(0, str(ROOT / "tests" / "report"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser  # noqa: E402
from test_live import SHAPES, LiveRun  # noqa: E402

PAGE = ROOT / "src" / "report" / "assets" / "live.html"
VIEWS = ("contexts", "edges", "methods", "sites", "missing", "summary")


def resident_kb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def renumbered(update):
    """The same update with its methods in the opposite order."""
    data = dict(update)
    last = len(update["methods"]["name"]) - 1
    other = lambda m: m and last + 1 - m
    data["methods"] = {key: [column[other(m)] for m in range(last + 1)] for key, column in update["methods"].items()}
    data["edges"] = {**update["edges"], "caller": [*map(other, update["edges"]["caller"])],
                     "callee": [*map(other, update["edges"]["callee"])]}
    data["nodes"] = {**update["nodes"], "method": [*map(other, update["nodes"]["method"])]}
    return data


class Feed:
    """Serves the live page with updates made from a real one: as many as `more` allows, as fast as they are taken."""

    def __init__(self, update, renumber=False):
        self.update, self.sent, self.allowed = update, 0, threading.Semaphore(0)
        self.renumber = renumber           # methods, in place of new names
        feed = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                stream = self.path.startswith("/events")
                self.send_header("Content-Type", "text/event-stream" if stream else "text/html; charset=utf-8")
                self.end_headers()
                if not stream:
                    self.wfile.write(PAGE.read_bytes())
                    return
                state = {"pid": 1, "running": True, "ended": "", "tick": "1ms"}
                self.wfile.write(f"event: state\ndata: {json.dumps(state)}\n\n".encode())
                while feed.allowed.acquire() and feed.open:
                    self.wfile.write(f"event: profile\ndata: {feed.next()}\n\n".encode())
                    self.wfile.flush()

            def log_message(self, *_):
                pass

        self.open = True
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/?token=0"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        """The next update: later, heavier, and half of the names are new, as in a program that loads classes."""
        self.sent += 1
        data = renumbered(self.update) if self.renumber and self.sent % 2 else dict(self.update)
        if not self.renumber:
            data["strings"] = [s if i % 2 else f"{s}{self.sent}" for i, s in enumerate(data["strings"])]
        profile = dict(data["profiles"][0])
        profile["metadata"] = {**profile["metadata"], "command": f"java update{self.sent}",
                               "duration": f"{self.sent}s", "time-ms": str(900 * self.sent),
                               "samples-taken": str(950 * self.sent)}
        data["profiles"] = [profile]
        return json.dumps(data)

    def close(self):
        self.open = False
        self.allowed.release(100)
        self.server.shutdown()
        self.server.server_close()


class LiveHoursTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([SHAPES])

    def live(self, *options):
        return LiveRun("--collect", "contexts", "--tick", "1ms", "--max-contexts", "3000", "--flush", "20ms", *options, "--",
                       java(NEWEST), "-cp", self.classes, "Shapes", "paths", "120")

    def test_the_command_stays_as_large_as_it_is(self):
        with self.live() as live:
            # One who listens and never reads must cost no more than the one that does.
            deaf = socket.create_connection(("127.0.0.1", live.port))
            deaf.sendall(f"GET /events?token={live.token} HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n\r\n".encode())
            live.events("profile", 60, seconds=120)
            before = resident_kb(live.process.pid)
            updates = live.events("profile", 300, seconds=120)
            after = resident_kb(live.process.pid)
            deaf.close()
        made, held = (int(updates[-1]["profiles"][0]["metadata"][f"contexts-{what}"]) for what in ("made", "held"))
        self.assertGreater(made, 3 * held)  # the program did go on to new contexts
        self.assertLess(updates[-1]["profiles"][0]["totals"]["nodes"], 6000)
        self.assertLess(after, before * 1.25 + 16384)

    def hurry(self, feed, page, updates):
        """Feeds that many updates through all views; what the page holds then."""
        for _ in range(updates // len(VIEWS)):
            for view in VIEWS:
                page.js("location.hash = '#/' + arguments[0]", view)
                self.feed_one(feed, page)
        page.js("location.hash = '#/contexts'")
        page.wait("return document.querySelector('canvas') !== null")
        page.cdp("HeapProfiler.collectGarbage")
        page.cdp("Performance.enable")
        return {m["name"]: m["value"] for m in page.cdp("Performance.getMetrics")["metrics"]}

    def feed_one(self, feed, page):
        wanted = f"update{feed.sent + 1} "
        feed.allowed.release()
        page.wait("return document.title.includes(arguments[0])", wanted)

    @unittest.skipUnless(browser.available(), "no Chromium here")
    def test_a_page_about_a_method_stays_with_it(self):
        with self.live() as live:
            update = live.events("profile", 50, seconds=120)[-1]
        methods, strings = update["methods"], update["strings"]
        m = next(m for m in range(1, len(methods["name"])) if strings[methods["name"][m]] == "spin")
        feed = Feed(update, renumber=True)
        try:
            with browser.Browser() as page:
                page.visit(feed.url)
                self.feed_one(feed, page)
                self.feed_one(feed, page)  # every other update has the numbers as they are
                page.js("location.hash = '#/method/' + arguments[0]", m)
                for _ in range(5):
                    page.wait("return document.querySelector('h1').innerText.includes('spin')")
                    before = page.js("return location.hash")
                    self.feed_one(feed, page)
                    page.wait("return location.hash !== arguments[0]", before)
                self.assertIn("spin", page.text("h1"))
        finally:
            feed.close()

    @unittest.skipUnless(browser.available(), "no Chromium here")
    def test_the_page_stays_as_large_as_it_is(self):
        with self.live() as live:
            update = live.events("profile", 100, seconds=120)[-1]
        self.assertGreater(update["profiles"][0]["totals"]["nodes"], 100)
        feed = Feed(update)
        try:
            with browser.Browser() as page:
                page.visit(feed.url)
                first = self.hurry(feed, page, 120)  # more than the figures that are kept
                last = self.hurry(feed, page, 600)
                points = page.js("return [...document.querySelectorAll('.spark polyline')].map("
                                 "line => line.getAttribute('points').split(' ').length)")
                severe = [m for m in page.console() if m.get("level") == "SEVERE" and "favicon" not in m["message"]]
        finally:
            feed.close()
        self.assertEqual(severe, [])
        self.assertTrue(points and max(points) <= 60, points)
        self.assertLess(last["Nodes"], first["Nodes"] * 1.1 + 50)
        self.assertLess(last["JSEventListeners"], first["JSEventListeners"] * 1.1 + 10)
        self.assertLess(last["JSHeapUsedSize"], first["JSHeapUsedSize"] * 1.2 + 1e6)


if __name__ == "__main__":
    unittest.main()
