"""The workloads: what each needs, how it is run, and what is known about it.

`deterministic` means that two runs make the same calls (single-threaded application code), so that
exact profiles of two runs can be compared; every workload computes the same checksum in each run.
"""
import dataclasses
import pathlib

JARS = pathlib.Path("/usr/share/java")


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    main: str
    about: str
    package: str = ""                 # Debian package; "" needs only the JDK
    jars: tuple = ()                  # under /usr/share/java
    params: tuple = ()                # "key=value" for the driver
    threads: int = 1
    min_jdk: int = 17
    max_jdk: int = 999
    deterministic: bool = True
    group: str = "real"               # real | paper | polymorphic | stress | scale | selftest
    jvm: tuple = ()                   # JVM flags the program needs

    def missing(self):
        return [jar for jar in self.jars if not (JARS / jar).exists()]

    def class_path(self):
        return [str(JARS / jar) for jar in self.jars]


def _real():
    xml = ("xercesImpl.jar", "xml-resolver.jar")  # the JDK has the interfaces
    lucene = tuple(f"lucene-{part}-8.7.0.jar" for part in ("core", "analyzers-common"))
    antlr = ("antlr4.jar", "antlr4-runtime.jar", "antlr3-runtime.jar", "stringtemplate4.jar",
             "treelayout.jar", "icu4j.jar", "javax.json.jar")
    derby = ("driver=org.apache.derby.jdbc.EmbeddedDriver", "url=jdbc:derby:memory:%s;create=true",
             "drop=jdbc:derby:memory:%s;drop=true", "scale=50")
    hsqldb = ("driver=org.hsqldb.jdbc.JDBCDriver", "url=jdbc:hsqldb:mem:%s", "scale=300")
    return [
        Workload("javac", "Javac", "the JDK's compiler on generated sources"),
        Workload("ecj", "Ecj", "the Eclipse compiler on generated sources", "libeclipse-jdt-core-java",
                 ("eclipse-jdt-core.jar",)),
        Workload("h2", "Jdbc", "H2, SQL mix in memory", "libh2-java", ("h2.jar",)),
        Workload("h2-threads", "Jdbc", "H2 with four clients", "libh2-java", ("h2.jar",),
                 ("clients=4",), threads=4, deterministic=False),
        Workload("hsqldb", "Jdbc", "HSQLDB, the same SQL mix", "libhsqldb-java", ("hsqldb.jar",), hsqldb),
        Workload("derby", "Jdbc", "Derby, the same SQL mix", "libderby-java", ("derby.jar",), derby),
        Workload("xalan", "Xalan", "XSLT with Xalan", "libxalan2-java",
                 ("xalan2.jar", "serializer.jar") + xml),
        Workload("saxon", "Xalan", "XSLT with Saxon", "libsaxonhe-java", ("Saxon-HE.jar",),
                 ("factory=net.sf.saxon.TransformerFactoryImpl",)),
        Workload("xerces", "Xerces", "XML parsing and validation", "libxerces2-java", xml),
        Workload("rhino", "Rhino", "JavaScript programs", "librhino-java", ("rhino.jar",)),
        Workload("lucene", "Lucene", "index and search", "liblucene8-java", lucene),
        Workload("lucene-threads", "Lucene", "index, then search with four threads", "liblucene8-java",
                 lucene, ("threads=4", "queries=400"), threads=4, deterministic=False),
        Workload("antlr", "Antlr", "grammar analysis and parsing", "antlr4", antlr),
        Workload("jython", "Jython", "Python programs", "jython", ("jython.jar",)),
        Workload("clojure", "Clojure", "Clojure programs", "clojure",
                 ("clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar")),
        Workload("jackson", "Jackson", "JSON binding and trees", "libjackson2-databind-java",
                 ("jackson-databind.jar", "jackson-core.jar", "jackson-annotations.jar")),
        Workload("commons-math", "Maths", "numerics", "libcommons-math3-java", ("commons-math3.jar",)),
        Workload("compress", "Compress", "pure-Java compressors", "libcommons-compress-java",
                 ("commons-compress.jar",)),
        Workload("freemarker", "Freemarker", "page templates", "libfreemarker-java", ("freemarker.jar",)),
        Workload("collections", "Collections", "the JDK's collections and streams"),
        Workload("server", "Server", "loopback server, thread pool, 16 clients", threads=33,
                 deterministic=False),
    ]


def _synthetic():
    out = [
        Workload("figure1", "Figure1", "Figure 1 of P0", group="paper"),
        Workload("call-density-bias", "CallDensityBias", "Figure 1 of P1", group="paper"),
        Workload("square-sums", "SquareSums", "the example of P3", group="paper"),
    ]
    for n in (2, 8, 32):
        out.append(Workload(f"latency-bias-{n}", "LatencyBias", f"Figure 3 of P1, {n} threads",
                            params=(f"threads={n}",), threads=n, deterministic=False, group="paper"))
    for call in ("virtual", "interface"):
        for receivers in (3, 5, 8):
            for skew in (40, 60, 80):
                out.append(Workload(
                    f"poly-{call}-{receivers}-{skew}", "Polymorphic",
                    f"{call} site, {receivers} receivers, {skew} % the first", group="polymorphic",
                    params=(f"call={call}", f"receivers={receivers}", f"skew={skew}")))
        out.append(Workload(f"poly-{call}-context", "Polymorphic", f"{call} site, receiver given by the caller",
                            params=(f"call={call}", "receivers=4", "context=1"), group="polymorphic"))
    out += [
        Workload("virtual-threads", "VirtualThreads", "100,000 virtual threads", min_jdk=21,
                 threads=100_000, deterministic=False, group="stress"),
        Workload("class-storm", "ClassStorm", "classes loaded and unloaded without end", group="stress"),
        Workload("exceptions", "Exceptions", "exceptions and deoptimization", group="stress"),
    ]
    for n in (1, 10, 100, 1000):
        out.append(Workload(f"threads-{n}", "Threads", f"{n} threads", params=(f"threads={n}",),
                            threads=n, deterministic=False, group="scale"))
    for n in (1000, 10_000, 100_000, 1_000_000):
        out.append(Workload(f"edges-{n}", "Edges", f"{n} distinct call edges", params=(f"edges={n}",),
                            group="scale"))
    for n in (10, 100, 1000, 2000):
        out.append(Workload(f"depth-{n}", "Recursion", f"recursion {n} deep", params=(f"depth={n}",),
                            group="scale"))
    out.append(Workload("knob", "Knob", "work with a known extra, for the harness's self-test",
                        group="selftest"))
    return out


WORKLOADS = {w.name: w for w in _real() + _synthetic()}


def select(names=None, jdk=None, group=None):
    """The workloads that can run here, and [(name, why)] for those that cannot."""
    chosen, skipped = [], []
    for workload in WORKLOADS.values():
        if names and workload.name not in names or group and workload.group not in group:
            continue
        missing = workload.missing()
        if missing:
            skipped.append((workload.name, f"package {workload.package} is missing"))
        elif jdk and not workload.min_jdk <= jdk <= workload.max_jdk:
            skipped.append((workload.name, f"needs JDK {workload.min_jdk} or later"
                            if jdk < workload.min_jdk else f"does not run on JDK {jdk}"))
        else:
            chosen.append(workload)
    unknown = sorted(set(names or ()) - set(WORKLOADS))
    if unknown:
        raise SystemExit(f"unknown workload: {', '.join(unknown)} (bench/workloads/run.py --list)")
    return chosen, skipped
