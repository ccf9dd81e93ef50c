"""Markdown tables, and docs/results.md as a list of sections that each command replaces for itself."""
import json
import re
import shutil

from . import machine, paths, plots

HEAD = """# Results

The latest full results, one section per command. Ratios come from interleaved runs (A B B A) on one
machine; a figure is the median of pair ratios with its bootstrap 95 % interval. Every section says
when and where it was made and can be made again with the command it names. Raw data: `docs/results/`.
"""


def table(header, rows, left=1):
    """A Markdown table; the first `left` columns are left-aligned."""
    align = [":--" if i < left else "--:" for i in range(len(header))]
    lines = ["| " + " | ".join(str(c) for c in cells) + " |" for cells in ([header, align] + rows)]
    return "\n".join(lines) + "\n"


def percent(estimate, sign=True):
    """A ratio's estimate as percent over 1: '+0.4 % [-0.1, 0.9]'."""
    over = estimate.scaled(lambda r: 100 * (r - 1))
    return f"{over.value:{'+' if sign else ''}.1f} % [{over.low:.1f}, {over.high:.1f}]"


def section(name, title, body, info, command, path=None):
    """Writes or replaces one section of docs/results.md; the others stay as they are. `info` None: nothing was run."""
    path = path or paths.RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else HEAD
    made = f"`{command}`." + (f" {machine.sentence(info)}" if info else "")
    block = (f"<!-- begin {name} -->\n## {title}\n\n{made}\n\n"
             f"{body.strip()}\n<!-- end {name} -->\n")
    pattern = re.compile(rf"<!-- begin {re.escape(name)} -->.*?<!-- end {re.escape(name)} -->\n", re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: block, text)
    else:
        text = text.rstrip("\n") + "\n\n" + block
    path.write_text(text)
    if path == paths.RESULTS:
        plots.page()


def publish(raw, rows=None):
    """Copies raw data beside the results; with `rows`, only those."""
    paths.PUBLISHED.mkdir(parents=True, exist_ok=True)
    target = paths.PUBLISHED / raw.name
    if rows is None:
        shutil.copyfile(raw, target)
    else:
        target.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return target
