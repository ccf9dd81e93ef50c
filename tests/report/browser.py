"""Headless Chromium for tests of pages, driven over the WebDriver protocol with nothing but Python's
own library: the distribution's chromedriver does the work."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Left": "\ue012",
        "Right": "\ue014", "End": "\ue010", "Home": "\ue011", "Tab": "\ue004"}


def available():
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


class Browser:
    """One browser window. Console messages of every page are kept until `console()` takes them."""

    def __init__(self, width=1280, height=900, dark=False):
        self.folder = tempfile.TemporaryDirectory(prefix="assay-browser-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": self.folder.name})
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            options = {
                "binary": shutil.which("chromium"),
                "args": ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                         # Containers run as root and have a small /dev/shm.
                         "--no-sandbox", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.folder.name}/profile"],
            }
            made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = made["sessionId"]
            self.size(width, height)
            if dark:
                self.cdp("Emulation.setEmulatedMedia",
                         features=[{"name": "prefers-color-scheme", "value": "dark"}])
        except BaseException:
            self.close()
            raise

    def _port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
        raise RuntimeError("chromedriver did not start")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _on(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def close(self):
        if self.session:
            with contextlib.suppress(Exception):
                self._call("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def cdp(self, command, **parameters):
        return self._on("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, mobile=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=2 if mobile else 1, mobile=mobile)

    def open(self, path, fragment=""):
        self._on("POST", "/url", {"url": "about:blank"})  # a new fragment alone would not reload
        self._on("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri() + fragment})
        self.wait("return performance.getEntriesByName('assay-ready').length > 0")

    def visit(self, url):
        self._on("POST", "/url", {"url": url})

    def js(self, script, *arguments):
        return self._on("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=20):
        """Until the script gives something true; that is returned."""
        end = time.monotonic() + seconds
        while True:
            value = self.js(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for: {script} {arguments or ''}\n"
                                     f"{self.js('return document.body.innerText')[:1500]}")
            time.sleep(0.02)

    def find(self, selector):
        self.wait("return document.querySelector(arguments[0]) !== null", selector)
        return self._on("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._on("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self._on("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def keys(self, *names):
        """Presses keys on whatever has the focus."""
        actions = [{"type": kind, "value": KEYS.get(name, name)}
                   for name in names for kind in ("keyDown", "keyUp")]
        self._on("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def pointer(self, x, y, click=False):
        actions = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._on("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def text(self, selector="body"):
        self.find(selector)
        return self.js("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector)

    def console(self):
        return self._on("POST", "/se/log", {"type": "browser"})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._on("GET", "/screenshot")))
