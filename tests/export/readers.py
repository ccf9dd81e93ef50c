"""Readers that we did not write, each behind a function; a missing one skips the test with the reason."""
import base64
import gzip
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "node_modules"


def need(*names):
    """The first of the programs that is installed."""
    for name in names:
        for folder in (None, "/usr/lib/go-1.19/bin"):
            found = shutil.which(name, path=folder)
            if found:
                return found
    raise unittest.SkipTest(f"{names[0]} is not installed")


def output(*command, **more):
    result = subprocess.run([str(c) for c in command], capture_output=True, timeout=120, **more)
    if result.returncode:
        raise AssertionError(f"{command} exited {result.returncode}\n{result.stderr[-3000:].decode()}")
    return result.stdout.decode()


def npm_packages():
    """Installs the packages of package-lock.json once; skips where there is no npm or network."""
    npm = need("npm")
    need("node")
    lock = HERE / "package-lock.json"
    done = MODULES / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < lock.stat().st_mtime:
        result = subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=HERE,
                                capture_output=True, text=True, timeout=300)
        if result.returncode:
            raise unittest.SkipTest("npm cannot install the packages of tests/export")
        done.touch()


def protoc(message, data):
    """The decoded message as nested {field: [values]}, through protoc --decode."""
    proto = message.split(".")[0] + ".proto"
    text = output(need("protoc"), f"--decode={message}", f"--proto_path={HERE}", proto, input=data)
    root = {}
    stack = [root]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            child = {}
            stack[-1].setdefault(line[:-1].strip(), []).append(child)
            stack.append(child)
        elif line == "}":
            stack.pop()
        else:
            name, _, value = line.partition(": ")
            if not re.fullmatch(r"\d+", name):
                stack[-1].setdefault(name, []).append(
                    unescape(value) if value.startswith('"') else int(value))
            else:
                raise AssertionError(f"field {name} is not in {proto}")
    return root


def unescape(text):
    octal = re.sub(r"\\(\d{3})", lambda m: f"\\x{int(m[1], 8):02x}", text[1:-1])
    return octal.encode().decode("unicode_escape").encode("latin-1").decode()


def pprof_stacks(path):
    """{(outermost, ..., innermost): {type: value}} of a pprof file, decoded by protoc."""
    profile = protoc("pprof.Profile", gzip.decompress(pathlib.Path(path).read_bytes()))
    strings = profile["string_table"]
    kinds = [strings[t["type"][0]] for t in profile["sample_type"]]
    functions = {f["id"][0]: f for f in profile["function"]}
    locations = {l["id"][0]: l["line"][0]["function_id"][0] for l in profile["location"]}
    stacks = {}
    for sample in profile["sample"]:
        names = tuple(strings[functions[locations[l]]["system_name"][0]]
                      for l in reversed(sample["location_id"]))
        values = stacks.setdefault(names, dict.fromkeys(kinds, 0))
        for kind, value in zip(kinds, sample["value"]):
            values[kind] += value
    return stacks, strings[profile["default_sample_type"][0]]


def go_pprof_top(path, sample_index):
    """{function: (flat, cum)} as `go tool pprof` sees it."""
    text = output(need("go"), "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0",
                  f"-sample_index={sample_index}", path,
                  env=dict(os.environ, HOME=tempfile.gettempdir()))
    rows = re.findall(r"^ *(\d+)\s+\S+\s+\S+\s+(\d+)\s+\S+\s+(.*)$", text, re.M)
    return {name: (int(flat), int(cum)) for flat, cum, name in rows}


def speedscope(path):
    """{symbol: (total, self)} from the sandwich view of speedscope itself, in headless Chromium."""
    npm_packages()
    # On a busy machine the page may be dumped before it has drawn the table: then wait longer.
    for budget_ms in (5000, 20000, 60000):
        symbols = sandwich(path, budget_ms)
        if symbols:
            break
    return symbols


def sandwich(path, budget_ms):
    chromium = need("chromium", "chromium-browser", "google-chrome")
    index = MODULES / "speedscope/dist/release/index.html"
    with tempfile.TemporaryDirectory(prefix="assay-speedscope-") as folder:
        script = pathlib.Path(folder) / "load.js"
        data = base64.b64encode(pathlib.Path(path).read_bytes()).decode()
        name = json.dumps(os.path.basename(path))
        script.write_text(f"speedscope.loadFileFromBase64({name}, {json.dumps(data)})")
        page = output(chromium, "--headless", "--no-sandbox", "--disable-gpu-sandbox",
                      "--allow-file-access-from-files", "--enable-unsafe-swiftshader",
                      f"--user-data-dir={folder}/data", f"--virtual-time-budget={budget_ms}",
                      "--dump-dom",
                      f"file://{index}#localProfilePath={str(script)[1:]}&view=sandwich")
    symbols = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.S):
        cells = [html.unescape(re.sub(r"<[^>]+>", "", c)).strip()
                 for c in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        numbers = [re.match(r"([\d,]+) \(", c) for c in cells[:2]]
        if len(cells) >= 3 and all(numbers):
            symbols[cells[2]] = tuple(int(n[1].replace(",", "")) for n in numbers)
    return symbols


def speedscope_schema(path):
    npm_packages()
    output(need("node"), HERE / "validate.mjs",
           MODULES / "speedscope/dist/release/file-format-schema.json", path, cwd=HERE)


def callgrind_functions(path, *options):
    """(total, {function: cost}) of callgrind_annotate."""
    text = output(need("callgrind_annotate"), "--threshold=100", "--auto=no", *options, path)
    total = int(re.search(r"([\d,]+) \(100\.0%\)  PROGRAM TOTALS", text)[1].replace(",", ""))
    rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (?:\*  )?[^:>\n]*:(\S.*?)(?: \[.*)?$", text, re.M)
    return total, {name: int(cost.replace(",", "")) for cost, name in rows}, text


def llvm_profdata():
    return need("llvm-profdata", "llvm-profdata-16", "llvm-profdata-15", "llvm-profdata-14")


def llvm_functions(path):
    """{function: (body samples, head samples, {offset: {callee: calls}})} of llvm-profdata show."""
    functions = {}
    for line in output(llvm_profdata(), "show", "--sample", path).splitlines():
        if head := re.match(r"Function: (.*): (\d+), (\d+), (\d+) sampled lines", line):
            sites = {}
            functions[head[1]] = (int(head[2]), int(head[3]), sites)
        elif body := re.match(r"\s+(\d+): (\d+), calls: (.*)", line):
            sites[int(body[1])] = {c.rpartition(":")[0]: int(c.rpartition(":")[2])
                                   for c in body[3].split(" ")}
    return functions


def llvm_overlap(a, b):
    """Shared over united samples in percent, as `llvm-profdata overlap` has it."""
    text = output(llvm_profdata(), "overlap", "--sample", a, b)
    return float(re.search(r"sample overlap: ([\d.]+)%", text)[1])
