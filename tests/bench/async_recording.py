"""Writes a recording as async-profiler does (its flightRecorder.cpp and jfrMetadata.cpp, version 4.5): the same types,
field order and encodings, with only what an execution sample needs. For tests of the converter without the binary."""
import struct

BOOLEAN, INT, LONG, STRING, CLASS, THREAD, LOADER, FRAME_TYPE, STATE = 4, 10, 11, 20, 21, 22, 23, 24, 25
TRACE, FRAME, METHOD, PACKAGE, SYMBOL, SAMPLE, LABEL, TIMESTAMP = 26, 27, 28, 30, 31, 101, 201, 204
TYPES = [
    ("boolean", BOOLEAN, []), ("int", INT, []), ("long", LONG, []), ("java.lang.String", STRING, []),
    ("java.lang.Class", CLASS, ["classLoader*", LOADER, "name*", SYMBOL, "package*", PACKAGE, "modifiers", INT]),
    ("java.lang.Thread", THREAD, ["osName", STRING, "osThreadId", LONG, "javaName", STRING, "javaThreadId", LONG]),
    ("jdk.types.ClassLoader", LOADER, ["type*", CLASS, "name*", SYMBOL]),
    ("jdk.types.FrameType", FRAME_TYPE, ["description", STRING]),
    ("jdk.types.ThreadState", STATE, ["name", STRING]),
    ("jdk.types.StackTrace", TRACE, ["truncated", BOOLEAN, "frames[]", FRAME]),
    ("jdk.types.StackFrame", FRAME, ["method*", METHOD, "lineNumber", INT, "bytecodeIndex", INT, "type*", FRAME_TYPE]),
    ("jdk.types.Method", METHOD, ["type*", CLASS, "name*", SYMBOL, "descriptor*", SYMBOL, "modifiers", INT,
                                  "hidden", BOOLEAN]),
    ("jdk.types.Package", PACKAGE, ["name*", SYMBOL]), ("jdk.types.Symbol", SYMBOL, ["string", STRING]),
    ("jdk.ExecutionSample", SAMPLE, ["startTime", LONG, "sampledThread*", THREAD, "stackTrace*", TRACE,
                                     "state*", STATE]),
    ("jdk.jfr.Label", LABEL, ["value", STRING]), ("jdk.jfr.Timestamp", TIMESTAMP, ["value", STRING])]
SIMPLE = (FRAME_TYPE, STATE, SYMBOL)
FRAME_TYPES = ["Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel", "C1 compiled"]


def var(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def utf8(text):
    return b"\x03" + var(len(text.encode())) + text.encode()


def event(kind, body):
    size = len(body) + len(var(kind)) + 5
    padded = bytes(size >> 7 * i & 0x7f | (0x80 if i < 4 else 0) for i in range(5))
    return padded + var(kind) + body


def metadata():
    strings = {}

    def name(text):
        return strings.setdefault(text, len(strings))

    def element(tag, attributes, children=()):
        words = b"".join(var(name(k)) + var(name(str(v))) for k, v in attributes.items())
        return var(name(tag)) + var(len(attributes)) + words + var(len(children)) + b"".join(children)

    def field(text, kind):
        more = {"constantPool": "true"} if text[-1] == "*" else {"dimension": 1} if text[-1] == "]" else {}
        ticks = [element("annotation", {"class": TIMESTAMP, "value": "TICKS"})] if text == "startTime" else []
        return element("field", {"name": text.rstrip("*[]"), "class": kind, **more}, ticks)

    classes = []
    for text, kind, fields in TYPES:
        more = ({"simpleType": "true"} if kind in SIMPLE else
                {"superType": "java.lang.annotation.Annotation"} if kind > 200 else
                {"superType": "jdk.jfr.Event"} if kind > 100 else {})
        pairs = list(zip(fields[::2], fields[1::2]))
        classes.append(element("class", {"name": text, "id": kind, **more}, [field(*pair) for pair in pairs]))
    region = element("region", {"locale": "en_US", "gmtOffset": 0})
    tree = element("root", {}, [element("metadata", {}, classes), region])
    table = var(len(strings)) + b"".join(map(utf8, strings))
    return event(0, var(1) + var(0) + var(0x7fffffff) + table + tree)


def pool(kind, entries):
    return var(kind) + var(len(entries)) + b"".join(var(key) + value for key, value in entries)


def checkpoint(stacks):
    symbols, classes, methods, traces = {}, {}, {}, []

    def symbol(text):
        return symbols.setdefault(text, len(symbols) + 1)

    def method(owner, text, descriptor):
        key = classes.setdefault(owner, len(classes) + 1), symbol(text), symbol(descriptor)
        return methods.setdefault(key, len(methods) + 1)

    for number, stack in enumerate(stacks):
        frames = b"".join(var(method(*names)) + var(0) + var(bci) + var(kind) for names, bci, kind in stack)
        traces.append((number + 1, var(0) + var(len(stack)) + frames))
    pools = [pool(FRAME_TYPE, [(i, utf8(t)) for i, t in enumerate(FRAME_TYPES)]), pool(STATE, [(1, utf8("STATE_RUNNABLE"))]),
             pool(THREAD, [(7, utf8("main") + var(7) + utf8("main") + var(1))]), pool(TRACE, traces),
             pool(METHOD, [(i, b"".join(map(var, key)) + var(0) + var(0)) for key, i in methods.items()]),
             pool(CLASS, [(i, var(0) + var(symbol(c)) + var(0) + var(0)) for c, i in classes.items()]),
             pool(SYMBOL, [(i, utf8(text)) for text, i in symbols.items()])]
    return event(1, var(1) + var(0) + var(0) + var(1) + var(len(pools)) + b"".join(pools))


def write(path, stacks):
    """stacks: for each sample its frames, top first, each ((class, method, descriptor), bci, frame type)."""
    samples = b"".join(event(SAMPLE, var(2) + var(7) + var(i + 1) + var(1)) for i in range(len(stacks)))
    meta, constants = metadata(), checkpoint(stacks)
    offset = 68 + len(samples)
    header = b"FLR\0" + struct.pack(">HHQQQQQQQI", 2, 0, offset + len(constants) + len(meta), offset,
                                    offset + len(constants), 10 ** 18, 10 ** 9, 1, 10 ** 9, 1)
    path.write_bytes(header + samples + constants + meta)
