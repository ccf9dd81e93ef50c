"""Plots as SVG beside the published results, and one HTML page that holds them and every table."""
import html
import re

from . import paths, svg


def save(chart, name, folder=None):
    folder = folder or paths.PUBLISHED
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.svg"
    file.write_text(chart.render())
    return file


def to_html(text):
    """The little Markdown that the results use: headings, tables, paragraphs, pictures, code, bold."""
    out, in_table = [], False
    for line in text.splitlines():
        safe = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(line, quote=False))
        safe = re.sub(r"!\[([^\]]*)\]\(results/([^)]*)\)", r'<img src="\2" alt="\1">', safe)
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


def lines(name, title, xlabel, ylabel, series, folder=None):
    """series: {label: [(x, y, low, high)]}; x on a logarithmic scale. The file, or None where there is no point."""
    points = [p for line in series.values() for p in line]
    if not points:
        return None
    x = svg.Scale(min(p[0] for p in points), max(p[0] for p in points), "log")
    y = svg.Scale(min(0, *(p[2] for p in points)), max(1, *(p[3] for p in points)))
    chart = svg.Chart(title, xlabel, ylabel, x, y, 220)
    for number, (label, line) in enumerate(series.items()):
        chart.line(line, svg.COLORS[number % len(svg.COLORS)], label)
    return save(chart, name, folder)
