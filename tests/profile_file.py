"""Writes profile files from Python, after the specification at the top of src/profile/format.h: a
second implementation, so that tests of the readers do not depend on our own writer."""
import struct
import zlib

MAGIC = b"\x8aASSAY\r\n"
OPTIONAL = 0x80000000


def uint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def sint(value):
    return uint(value << 1 if value >= 0 else (-value << 1) - 1)


def text(value):
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return uint(len(data)) + data


def number(value):
    if value >= 0 and value == int(value) and value < 2 ** 53:
        return uint(int(value) * 2)
    return uint(1) + struct.pack("<d", value)


def chunk(kind, payload):
    head = struct.pack("<II", kind, len(payload)) + payload
    return head + struct.pack("<I", zlib.crc32(head))


def header(length, version=1):
    start = MAGIC + struct.pack("<I", version)
    word = length | (zlib.crc32(length.to_bytes(6, "little")) & 0xFFFF) << 48
    return start + struct.pack("<IQ", zlib.crc32(start), word)


class ProfileFile:
    """Methods are given as "pkg.Class.name(descriptor)result" and numbered as they come."""

    def __init__(self, **metadata):
        self.metadata = metadata
        self.strings, self.methods = {}, {}
        self.edges, self.nodes = [], []
        self.details, self.tables, self.lost = {}, {}, {}
        self.threads, self.ticks, self.skipped = [], [], []
        self.self_unit = ""
        self.node_count = 1

    def string(self, value):
        return self.strings.setdefault(value, len(self.strings))

    def method(self, name, source=None, code_bytes=0, lines=()):
        if name not in self.methods:
            self.methods[name] = len(self.methods) + 1
        if source or code_bytes or lines:
            self.details[self.methods[name]] = (source or "", code_bytes, list(lines))
        return self.methods[name]

    def edge(self, caller, bci, callee, weight, samples=None, variance=0):
        self.edges.append((self.method(caller), bci, self.method(callee),
                           int(weight) if samples is None else samples, weight, variance))

    def node(self, parent, method, bci=-1, calls=0, self_value=0, samples=0):
        """Returns the id of the new node; the root is 0."""
        self.nodes.append((parent, bci, self.method(method), samples, calls, self_value))
        self.node_count += 1
        return self.node_count - 1

    def bytes(self, end=True):
        methods = b"".join(self._method(name) for name in self.methods)
        details = b"".join(self._details(i, *d) for i, d in self.details.items())
        tables = []
        for name, (columns, rows) in self.tables.items():
            tables.append(chunk(13, text(name) + b"".join(map(text, columns))))
            tables.append(chunk(14, text(name) + b"".join(
                b"".join(uint(self.string(k)) for k in key) + uint(samples) + number(weight)
                for key, samples, weight in rows)))
        chunks = [chunk(2, b"".join(text(s) for s in self.strings)), chunk(3, methods)]
        chunks += [chunk(4, details), chunk(5, self._edges()), chunk(7, self._nodes())]
        chunks.append(chunk(9, b"".join(text(k) + text(str(v)) for k, v in self.metadata.items())))
        if self.self_unit:
            chunks.append(chunk(10, text(self.self_unit)))
        chunks.append(chunk(11, b"".join(map(text, self.threads))))
        chunks.append(chunk(12, self._ticks()))
        chunks += tables
        chunks.append(chunk(15, b"".join(text(k) + uint(v) for k, v in self.lost.items())))
        chunks.append(chunk(16, b"".join(text(m) + text(r) for m, r in self.skipped)))
        if end:
            counts = (len(self.methods) + 1, len(self.edges), self.node_count)
            chunks.append(chunk(17, b"".join(map(uint, counts))))
        body = b"".join(chunks)
        return header(24 + len(body)) + body

    def write(self, path, **more):
        with open(path, "wb") as file:
            file.write(self.bytes(**more))
        return str(path)

    def _method(self, full):
        front, paren, descriptor = full.partition("(")
        class_name, _, name = front.rpartition(".")
        if full.startswith("<"):  # <native>, <vm>
            class_name, name = "", full
        return b"".join(uint(self.string(s)) for s in (class_name, name, paren + descriptor))

    def _details(self, method, source, code_bytes, lines):
        out = uint(method) + uint(self.string(source)) + uint(code_bytes) + uint(len(lines))
        previous = (0, 0)
        for entry in lines:
            out += sint(entry[0] - previous[0]) + sint(entry[1] - previous[1])
            previous = entry
        return out

    def _edges(self):
        out, previous = [], 0
        for caller, bci, callee, samples, weight, variance in self.edges:
            out.append(sint(caller - previous) + sint(bci) + uint(callee) + uint(samples) +
                       number(weight) + number(variance))
            previous = caller
        return b"".join(out)

    def _nodes(self):
        return b"".join(uint(i + 1 - parent) + sint(bci) + uint(method) + uint(samples) +
                        number(calls) + number(self_value)
                        for i, (parent, bci, method, samples, calls, self_value)
                        in enumerate(self.nodes))

    def _ticks(self):
        out, previous = [], 0
        for thread, time_ns, latency_ns, interval_ns, density, samples in self.ticks:
            out.append(uint(thread) + sint(time_ns - previous) + uint(latency_ns) +
                       uint(interval_ns) + number(density) + uint(samples))
            previous = time_ns
        return b"".join(out)
