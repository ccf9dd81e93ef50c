package bench;

/** An order-dependent checksum. */
public final class Sum {
    private long value = 0xcbf29ce484222325L;

    public Sum add(long x) {
        value = (value ^ x) * 0x100000001b3L;
        value ^= value >>> 29;
        return this;
    }

    public Sum add(CharSequence text) {
        long hash = 7;
        for (char c : text.toString().toCharArray()) hash = hash * 31 + c;
        return add(hash).add(text.length());
    }

    public Sum add(byte[] bytes) {
        long hash = 7;
        for (byte b : bytes) hash = hash * 31 + b;
        return add(hash).add(bytes.length);
    }

    public long get() {
        return value;
    }
}
