"""Charts as SVG text, without any library: scales, marks with error bars, lines, and a legend at the right.

Pure functions of their arguments; the same data gives the same bytes.
"""
import html
import math

COLORS = ["#0b62a4", "#d1495b", "#2e8540", "#8a5a00", "#6a3d9a", "#00798c", "#b33f00", "#4a4a4a"]
INK, GRAY, GRID = "#222", "#777", "#ddd"


class Scale:
    """From values to 0..1. "symlog" is linear from -1 to 1 and logarithmic beyond."""

    def __init__(self, low, high, kind="linear"):
        self.kind, self.low, self.high = kind, low, high
        self.first, self.last = self._place(low), self._place(high)

    def _place(self, value):
        if self.kind == "log":
            return math.log10(value)
        if self.kind == "symlog" and abs(value) > 1:
            return math.copysign(1 + math.log10(abs(value)), value)
        return value

    def __call__(self, value):
        return (self._place(value) - self.first) / ((self.last - self.first) or 1)

    def ticks(self):
        if self.kind == "linear":
            step = 10 ** math.floor(math.log10((self.high - self.low) or 1))
            step /= 1 if (self.high - self.low) / step > 4 else 5
            count = math.floor((self.high - self.low) / step + 1e-9)
            first = math.ceil(self.low / step - 1e-9)
            return [(first + i) * step for i in range(count + 1) if (first + i) * step <= self.high * (1 + 1e-9)]
        powers = [10 ** i for i in range(-6, 10)]
        if self.kind == "symlog":
            powers = [-p for p in powers if p >= 1] + [0] + [p for p in powers if p >= 1]
        return [p for p in powers if self.low <= p <= self.high]


class Chart:
    def __init__(self, title, xlabel, ylabel, x, y, legend_width=300, strip=None):
        """`strip` names a column right of the axes, for points whose x is not known."""
        self.x, self.y, self.strip = x, y, strip
        self.left, self.top, self.wide, self.high = 64, 44, 560, 420
        self.strip_width, self.in_strip = (92 if strip else 0), 0
        self.legend_at = self.left + self.wide + self.strip_width + 20
        self.width = self.legend_at + legend_width
        self.out, self.legend = [], []
        self._frame(title, xlabel, ylabel)

    def text(self, x, y, words, size=12, anchor="start", color=INK, more=""):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}"{more}>'
                        f"{html.escape(str(words))}</text>")

    def segment(self, x1, y1, x2, y2, color=INK, width=1.0, dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                        f'stroke-width="{width}"{dash}/>')

    def at(self, x, y):
        """Pixels; x None is the middle of the strip."""
        across = self.left + (self.wide * self.x(x) if x is not None else self.wide + self.strip_width / 2)
        return across, self.top + self.high * (1 - self.y(y))

    def _frame(self, title, xlabel, ylabel):
        right, bottom = self.left + self.wide, self.top + self.high
        self.text(self.left, 24, title, 15)
        for tick in self.x.ticks():
            across, _ = self.at(tick, self.y.low)
            self.segment(across, self.top, across, bottom, GRID)
            self.text(across, bottom + 18, f"{tick:,g}", anchor="middle")
        for tick in self.y.ticks():
            _, down = self.at(self.x.low, tick)
            self.segment(self.left, down, right + self.strip_width, down, GRID)
            self.text(self.left - 8, down + 4, f"{tick:,g}", anchor="end")
        self.segment(self.left, self.top, self.left, bottom)
        self.segment(self.left, bottom, right, bottom)
        self.text((self.left + right) / 2, bottom + 42, xlabel, anchor="middle")
        self.text(18, (self.top + bottom) / 2, ylabel, anchor="middle",
                  more=f' transform="rotate(-90 18 {(self.top + bottom) / 2:.1f})"')
        if self.strip:
            self.segment(right + 2, self.top, right + 2, bottom, GRAY, 1, "3 3")
            self.text(right + self.strip_width / 2, self.top - 6, self.strip, 10, "middle", GRAY)

    def mark(self, x, y, tag, color, low=None, high=None, hollow=False):
        """A disc with a short tag in it, and a bar from low to high across."""
        across, down = self.at(x, y)
        if x is None:                    # side by side, so that near ones can be read
            across += (-26, 0, 26)[self.in_strip % 3]
            self.in_strip += 1
        if low is not None:
            self.segment(self.at(max(low, self.x.low), y)[0], down, self.at(min(high, self.x.high), y)[0], down, color, 1.5)
        fill, ink = ("white", color) if hollow else (color, "white")
        self.out.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="8" fill="{fill}" stroke="{color}" '
                        'fill-opacity="0.9"/>')
        self.text(across, down + 3.5, tag, 10, "middle", ink)

    def line(self, points, color, label):
        """points: (x, y, low, high), with a bar from low to high upwards."""
        spots = [self.at(p[0], p[1]) for p in points]
        self.out.append(f'<polyline fill="none" stroke="{color}" points="'
                        + " ".join(f"{a:.1f},{b:.1f}" for a, b in spots) + '"/>')
        for (x, _, low, high), (across, down) in zip(points, spots):
            self.segment(across, self.at(x, low)[1], across, self.at(x, high)[1], color)
            self.out.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{color}"/>')
        self.note(label, color, "■")

    def level(self, y, words):
        _, down = self.at(self.x.low, y)
        self.segment(self.left, down, self.left + self.wide + self.strip_width, down, COLORS[0], 1, "6 4")
        self.text(self.left + self.wide - 4, down - 4, words, 11, "end", COLORS[0])

    def note(self, words, color=INK, tag=""):
        self.legend.append((words, color, tag))

    def render(self):
        drawn, self.out = self.out, list(self.out)
        for number, (words, color, tag) in enumerate(self.legend):
            down = self.top + 6 + 17 * number
            self.text(self.legend_at + 16, down, tag, 11, "end", color)
            self.text(self.legend_at + 22, down, words, 11, color=color)
        body, self.out = "\n".join(self.out), drawn
        height = max(self.top + self.high + 60, self.top + 17 * len(self.legend) + 20)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
                f'height="{height}" font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n'
                f"{body}\n</svg>\n")
