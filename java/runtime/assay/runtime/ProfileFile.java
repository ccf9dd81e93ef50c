package assay.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;

/** Writes a context tree in the format that src/profile/format.h specifies, in an order given by its content. */
final class ProfileFile {
    private static final int STRINGS = 2, METHODS = 3, NODES = 7, METADATA = 9, SELF_UNIT = 10, END = 17;
    private static final int VERSION = 1, HEADER = 24, MOST_IN_A_CHUNK = 256 << 10;

    /** The bytes of a payload. */
    private static final class Payload extends ByteArrayOutputStream {
        void number(long value) {
            for (; (value & ~0x7fL) != 0; value >>>= 7) {
                write((int) (value & 0x7f | 0x80));
            }
            write((int) value);
        }

        void signed(long value) {
            number(value << 1 ^ value >> 63);
        }

        /** Modified UTF-8, as names are in class files. */
        void text(String text) {
            Payload bytes = new Payload();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c != 0 && c < 0x80) {
                    bytes.write(c);
                } else if (c < 0x800) {
                    bytes.write(0xc0 | c >> 6);
                    bytes.write(0x80 | c & 0x3f);
                } else {
                    bytes.write(0xe0 | c >> 12);
                    bytes.write(0x80 | c >> 6 & 0x3f);
                    bytes.write(0x80 | c & 0x3f);
                }
            }
            number(bytes.size());
            writeBytes(bytes.toByteArray());
        }
    }

    private final Map<String, String> metadata = new TreeMap<>();
    private final Payload chunks = new Payload();

    void metadata(String key, String value) {
        metadata.put(key, value);
    }

    void write(Path file, ContextTree tree) throws IOException {
        Payload texts = new Payload();
        metadata.forEach((key, value) -> {
            texts.text(key);
            texts.text(value);
        });
        chunk(METADATA, texts);
        Payload unit = new Payload();
        unit.text(Settings.text("unit", "bytecodes"));
        chunk(SELF_UNIT, unit);
        Map<Methods.Method, Integer> methodIds = methods(tree);
        int nodes = nodes(methodIds, tree);
        Payload end = new Payload();
        end.number(methodIds.size() + 1);
        end.number(0);
        end.number(nodes);
        chunk(END, end);
        publish(file);
    }

    private Map<Methods.Method, Integer> methods(ContextTree tree) {
        TreeSet<Methods.Method> sorted = new TreeSet<>();
        for (int node = 1; node < tree.nodes; node++) {
            sorted.add(Methods.get(tree.methods[node]));
        }
        Map<String, Integer> strings = new LinkedHashMap<>();
        Payload texts = new Payload();
        Payload list = new Payload();
        Map<Methods.Method, Integer> ids = new TreeMap<>();
        for (Methods.Method method : sorted) {
            ids.put(method, ids.size() + 1);
            for (String part : List.of(method.className(), method.name(), method.descriptor())) {
                Integer known = strings.putIfAbsent(part, strings.size());
                if (known == null) {
                    texts.text(part);
                }
                list.number(strings.get(part));
            }
        }
        chunk(STRINGS, texts);
        chunk(METHODS, list);
        return ids;
    }

    /** Depth first, children by method. Two nodes may have the same name: classes of two loaders. Returns how many. */
    private int nodes(Map<Methods.Method, Integer> ids, ContextTree tree) {
        Merged root = new Merged(0);
        Merged[] places = new Merged[tree.nodes];
        places[0] = root;
        for (int node = 1; node < tree.nodes; node++) {
            Merged parent = places[tree.parents[node]];
            places[node] =
                    parent.children.computeIfAbsent(ids.get(Methods.get(tree.methods[node])), Merged::new);
            places[node].samples += tree.samples[node];
            places[node].bytecodes += tree.bytecodes[node];
        }
        Payload out = new Payload();
        List<Merged> pending = new ArrayList<>();
        pending.add(root);
        int count = 0;
        while (!pending.isEmpty()) {
            Merged node = pending.remove(pending.size() - 1);
            node.id = count++;
            if (node != root) {
                out.number(node.id - node.parent.id);
                out.signed(-1);
                out.number(node.method);
                out.number(node.samples);
                out.number(0);
                out.number(node.bytecodes << 1);
            }
            List<Merged> below = new ArrayList<>(node.children.values());
            below.sort(Comparator.<Merged>comparingInt(child -> child.method).reversed());
            for (Merged child : below) {
                child.parent = node;
                pending.add(child);
            }
            if (out.size() > MOST_IN_A_CHUNK) {
                chunk(NODES, out);
                out = new Payload();
            }
        }
        chunk(NODES, out);
        return count;
    }

    private static final class Merged {
        final int method;
        final TreeMap<Integer, Merged> children = new TreeMap<>();
        Merged parent;
        int id;
        long samples;
        long bytecodes;

        Merged(int method) {
            this.method = method;
        }
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private void chunk(int type, Payload payload) {
        if (payload.size() == 0) {
            return;
        }
        ByteBuffer chunk = buffer(payload.size() + 12);
        chunk.putInt(type).putInt(payload.size()).put(payload.toByteArray());
        chunk.putInt(crc(chunk.array(), payload.size() + 8));
        chunks.writeBytes(chunk.array());
    }

    private void publish(Path file) throws IOException {
        ByteBuffer header = buffer(HEADER);
        header.put(new byte[] {(byte) 0x8a, 'A', 'S', 'S', 'A', 'Y', '\r', '\n'}).putInt(VERSION);
        header.putInt(crc(header.array(), 12));
        long length = (long) HEADER + chunks.size();
        byte[] six = new byte[6];
        for (int i = 0; i < 6; i++) {
            six[i] = (byte) (length >> 8 * i);
        }
        header.putLong(length | (long) (crc(six, 6) & 0xffff) << 48);
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (OutputStream out = Files.newOutputStream(temporary)) {
            out.write(header.array());
            chunks.writeTo(out);
        }
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
