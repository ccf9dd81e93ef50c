package assay.runtime;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
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

        void text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            number(bytes.length);
            writeBytes(bytes);
        }
    }

    private final Map<String, String> metadata = new TreeMap<>();
    private final Payload chunks = new Payload();

    void metadata(String key, String value) {
        metadata.put(key, value);
    }

    /** Node 0 is the root; a node comes after its parent. */
    void write(Path file, int[] parents, int[] methods, long[] samples, long[] bytecodes) throws IOException {
        Map<Methods.Method, Integer> methodIds = methods(methods);
        Payload texts = new Payload();
        metadata.forEach((key, value) -> {
            texts.text(key);
            texts.text(value);
        });
        chunk(METADATA, texts);
        Payload unit = new Payload();
        unit.text("bytecodes");
        chunk(SELF_UNIT, unit);
        nodes(methodIds, parents, methods, samples, bytecodes);
        Payload end = new Payload();
        end.number(methodIds.size() + 1);
        end.number(0);
        end.number(parents.length);
        chunk(END, end);
        publish(file);
    }

    private Map<Methods.Method, Integer> methods(int[] numbers) {
        TreeSet<Methods.Method> sorted = new TreeSet<>();
        for (int node = 1; node < numbers.length; node++) {
            sorted.add(Methods.get(numbers[node]));
        }
        Map<String, Integer> strings = new LinkedHashMap<>();
        Payload list = new Payload();
        Map<Methods.Method, Integer> ids = new TreeMap<>();
        for (Methods.Method method : sorted) {
            ids.put(method, ids.size() + 1);
            for (String part : List.of(method.className(), method.name(), method.descriptor())) {
                list.number(strings.computeIfAbsent(part, key -> strings.size()));
            }
        }
        Payload texts = new Payload();
        strings.keySet().forEach(texts::text);
        chunk(STRINGS, texts);
        chunk(METHODS, list);
        return ids;
    }

    private void nodes(Map<Methods.Method, Integer> ids, int[] parents, int[] methods, long[] samples, long[] bytecodes) {
        int[] method = new int[parents.length];
        List<List<Integer>> children = new ArrayList<>();
        children.add(new ArrayList<>());
        for (int node = 1; node < parents.length; node++) {
            method[node] = ids.get(Methods.get(methods[node]));
            children.add(new ArrayList<>());
            children.get(parents[node]).add(node);
        }
        Payload out = new Payload();
        List<int[]> pending = new ArrayList<>(); // node, id of the parent
        pending.add(new int[] {0, 0});
        for (int id = -1; !pending.isEmpty(); ) {
            int[] next = pending.remove(pending.size() - 1);
            int node = next[0];
            id++;
            if (node != 0) {
                out.number(id - next[1]);
                out.signed(-1);
                out.number(method[node]);
                out.number(samples[node]);
                out.number(0);
                out.number(bytecodes[node] << 1);
            }
            List<Integer> below = children.get(node);
            below.sort(Comparator.<Integer>comparingInt(child -> method[child]).reversed());
            for (int child : below) {
                pending.add(new int[] {child, id});
            }
        }
        chunk(NODES, out);
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
        ByteBuffer header = buffer(24);
        header.put(new byte[] {(byte) 0x8a, 'A', 'S', 'S', 'A', 'Y', '\r', '\n'}).putInt(1);
        header.putInt(crc(header.array(), 12));
        long length = 24L + chunks.size();
        byte[] six = new byte[6];
        for (int i = 0; i < 6; i++) {
            six[i] = (byte) (length >> 8 * i);
        }
        header.putLong(length | (long) (crc(six, 6) & 0xffff) << 48);
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (var out = Files.newOutputStream(temporary)) {
            out.write(header.array());
            chunks.writeTo(out);
        }
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
