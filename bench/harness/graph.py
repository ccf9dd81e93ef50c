"""Call graphs as {edge: weight} and the papers' overlap metric; independent of the C++ code on purpose,
so that `assay compare` is checked by a second implementation.

An edge is (caller, bci, callee), methods written pkg.Class.name(descriptor).
"""
import json
import subprocess

from . import paths
from .stats import pearson


def overlap(a, b):
    """Sum over common edges of the smaller percentage: 0 to 100."""
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return 0.0
    small, large = (a, b) if len(a) < len(b) else (b, a)
    total_small, total_large = (total_a, total_b) if small is a else (total_b, total_a)
    return 100 * sum(min(w / total_small, large[e] / total_large)
                     for e, w in small.items() if e in large)


def by_method(graph):
    """The same graph without call sites."""
    merged = {}
    for (caller, _, callee), weight in graph.items():
        merged[caller, callee] = merged.get((caller, callee), 0) + weight
    return merged


HIDDEN = ("$$Lambda", "$$StringConcat", "$$TypeSwitch", "LambdaForm$MH", "LambdaForm$DMH", "LambdaForm$BMH")


def is_hidden(method):
    """Of a class that the JVM shows to no agent: exact counts do not have it."""
    return any(mark in method.split("(")[0] for mark in HIDDEN)


def without_hidden(graph):
    """The call of a lambda object as a call of what that one calls, which is how exact counts have it."""
    result = dict(graph)
    for method in sorted({m for a, _, b in graph for m in (a, b) if is_hidden(m)}):
        into = {e: w for e, w in result.items() if e[2] == method != e[0]}
        out = {e: w for e, w in result.items() if e[0] == method != e[2]}
        calls = sum(into.values())
        if not calls or not out:
            continue
        for edge in [e for e in result if method in (e[0], e[2])]:
            del result[edge]
        for (caller, bci, _), weight in into.items():
            for (_, _, callee), made in out.items():
                result[caller, bci, callee] = result.get((caller, bci, callee), 0) + made * weight / calls
    return result


def correlation(a, b):
    keys = sorted(a.keys() | b.keys())
    return pearson([a.get(k, 0) for k in keys], [b.get(k, 0) for k in keys])


def from_edges(edges):
    graph = {}
    for edge in edges:
        key = edge["caller"], edge["bci"], edge["callee"]
        graph[key] = graph.get(key, 0) + edge["weight"]
    return graph


def load(path):
    """A profile of ours, or the JSON that a peer's converter wrote."""
    path = str(path)
    if path.endswith(".json"):
        with open(path) as file:
            return from_edges(json.load(file)["edges"])
    return from_edges(shown(path, "edges"))


def shown(path, by):
    """Everything of one kind that `assay show` knows of a profile."""
    return profile(path, by)[by]


def profile(path, by="edges"):
    """The same with the profile's metadata."""
    out = subprocess.run([paths.ASSAY, "show", str(path), "--by", by, "--json", "--top", "0"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def held(truth, edges):
    """The part of the calls in % (those of lambda objects left out, see above) whose edge's stated interval contains its true share. Of the edges alone most are rare and have
    wide intervals: it is the frequent ones that a reader acts upon."""
    all_true, all_seen = sum(truth.values()), sum(without_hidden(from_edges(edges)).values())
    if not all_true or not all_seen:
        return None
    edges = [e for e in edges if not is_hidden(e["caller"]) and not is_hidden(e["callee"])]
    looked_at = sum(e["weight"] for e in edges)
    kept = sum(e["weight"] for e in edges if abs(e["weight"] / all_seen - truth.get((e["caller"], e["bci"], e["callee"]), 0) / all_true)
               <= e.get("error", 0) * e["weight"] / all_seen)
    return 100 * kept / looked_at if looked_at else None


def compare(a, b):
    """`assay compare`: {"call_sites": ..., "methods": ..., "contexts": ...} and correlation."""
    out = subprocess.run([paths.ASSAY, "compare", str(a), str(b), "--json"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def perturb(graph, truth, points):
    """Takes `points` percent of the weight away from edges that are not over-represented, and gives it
    to one that does not exist: the overlap with the truth falls by exactly that much. For self-tests."""
    total, total_truth = sum(graph.values()), sum(truth.values())
    under = {e for e, w in graph.items() if w / total <= truth.get(e, 0) / total_truth * (1 + 1e-9)}
    mass = sum(graph[e] for e in under)
    moved = total * points / 100
    if moved > mass:
        raise ValueError(f"only {100 * mass / total:.1f} points could be taken away")
    result = {e: w * (1 - moved / mass) if e in under else w for e, w in graph.items()}
    result["<nowhere>", 0, "<nothing>"] = moved
    return result
