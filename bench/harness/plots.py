"""Plots (SVG and PNG with matplotlib, where it is installed) and one HTML page that holds them all."""
import html
import json
import re
import statistics

from . import configs, papers, paths, stats

try:
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "assay"
    import matplotlib.pyplot as plt
except ImportError:
    plt = None


def rows(pattern):
    found = []
    for file in sorted(paths.RAW.glob(pattern)):
        for line in file.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return found


def save(figure, name):
    paths.PUBLISHED.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    for kind in ("svg", "png"):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(paths.PUBLISHED / f"{name}.{kind}", metadata=metadata, dpi=110)
    plt.close(figure)
    page()


def to_html(text):
    """The little Markdown that the results use: headings, tables, paragraphs, code, bold."""
    out, in_table = [], False
    for line in text.splitlines():
        safe = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(line, quote=False))
        safe = re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", safe)
        is_row = line.startswith("|")
        if is_row != in_table:
            out.append("<table>" if is_row else "</table>")
        if is_row and not line.startswith("| :--"):
            cell = "td" if in_table else "th"
            out.append("<tr>" + "".join(f"<{cell}>{c.strip()}</{cell}>" for c in safe.strip("| ").split(" | ")) + "</tr>")
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            out.append(f"<h{level}>{safe.lstrip('# ')}</h{level}>")
        elif not is_row and not line.startswith("<!--"):
            out.append(safe if line else "<p>")
        in_table = is_row
    return "\n".join(out + (["</table>"] if in_table else []))


def page():
    """docs/results/index.html: every plot and every table."""
    plots = "".join(f'<figure><img src="{p.name}" alt="{p.stem}"><figcaption>{p.stem}</figcaption></figure>\n'
                    for p in sorted(paths.PUBLISHED.glob("*.svg")))
    text = paths.RESULTS.read_text() if paths.RESULTS.exists() else "# Results"
    paths.PUBLISHED.mkdir(parents=True, exist_ok=True)
    (paths.PUBLISHED / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Assay results</title><style>body{font:16px/1.5 sans-serif;"
        "max-width:80em;margin:2em auto;padding:0 1em}img{max-width:100%}table{border-collapse:collapse;display:block;"
        "overflow-x:auto;font-size:14px}td,th{border:1px solid #ccc;padding:.2em .5em;text-align:right}"
        f"td:first-child,th:first-child{{text-align:left}}</style>\n{to_html(text)}\n<h2>Plots</h2>\n{plots}")


def mean_overhead(data, config, metric="steady_cpu"):
    """Geometric mean over programs of the median pair ratio, in percent, with its interval."""
    groups = {}
    for row in data:
        if row["round"] >= 0 and not row["why"] and row[metric]:
            groups.setdefault((row["workload"], str(row["key"])), {}).setdefault(row["config"], {})[row["round"]] = row[metric]
    ratios = [stats.pair_ratios(g["base"], g[config]) for g in groups.values() if "base" in g and config in g]
    ratios = [r for r in ratios if r]
    return stats.mean_interval(ratios).scaled(lambda r: 100 * (r - 1)) if ratios else None


def mean_accuracy(data, config):
    programs = {}
    for row in data:
        if row["config"] == config and not row["why"] and row.get("call_sites") is not None:
            programs.setdefault(row["workload"], []).append(row["call_sites"])
    return statistics.fmean(statistics.median(v) for v in programs.values()) if programs else None


def latest(data):
    """Only the rows of the newest build."""
    if not data:
        return data
    newest = max(data, key=lambda r: r["info"]["date"])["info"]["build"]
    return [r for r in data if r["info"]["build"] == newest]


def accuracy_against_overhead(jdk=None, setting="production"):
    """Every collector and peer a point, the papers' points drawn in. Returns the points."""
    jdk = jdk or max(paths.JDKS)
    cost = latest(rows(f"overhead-{jdk}.jsonl"))
    quality = latest(rows(f"accuracy-{setting}-{jdk}.jsonl"))
    points = []
    for config in configs.ALL:
        overhead, overlap = mean_overhead(cost, config.name), mean_accuracy(quality, config.name)
        if overhead is not None and overlap is not None and config.name != "base":
            points.append((config.label, overhead, overlap))
    if plt is None or not points:
        return points
    figure, axes = plt.subplots(figsize=(9, 6))
    axes.set_xscale("symlog", linthresh=1)
    for label, x, y in papers.POINTS:
        axes.plot(x, y, "x", color="gray")
        axes.annotate(label, (x, y), textcoords="offset points", xytext=(5, -3), fontsize=7, color="gray")
    for label, x, y in points:
        axes.errorbar(x.value, y, xerr=[[x.value - x.low], [x.high - x.value]], fmt="o", capsize=2)
        axes.annotate(label, (x.value, y), textcoords="offset points", xytext=(6, 5), fontsize=8)
    ceiling = mean_accuracy(quality, "ceiling")
    if ceiling:
        axes.axhline(ceiling, linestyle="--", linewidth=0.8)
        axes.annotate("ceiling", (0, ceiling), fontsize=8, xytext=(0, 3), textcoords="offset points")
    axes.set_xlabel("overhead in steady state, CPU time, % (symmetric log scale)")
    axes.set_ylabel(f"accuracy, % overlap ({setting} setting)")
    axes.set_ylim(0, 100)
    axes.set_title(f"Accuracy against overhead, JDK {jdk}; crosses: the papers' own figures")
    save(figure, "accuracy-overhead")
    return points


def lines(name, title, xlabel, ylabel, series, xlog=True):
    """series: {label: [(x, y, low, high)]}."""
    if plt is None:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for label, points in series.items():
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        errors = [[p[1] - p[2] for p in points], [p[3] - p[1] for p in points]]
        axes.errorbar(xs, ys, yerr=errors, marker="o", capsize=2, label=label)
    if xlog:
        axes.set_xscale("log")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    axes.legend(fontsize=8)
    save(figure, name)
