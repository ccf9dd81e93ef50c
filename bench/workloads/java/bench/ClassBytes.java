package bench;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Writes class files of static int methods: leaf L&lt;i&gt;(x) = x + i, and callers C&lt;i&gt;(x) that call
 * leaves one after the other, so every call is a call site of its own.
 */
final class ClassBytes {
    private ClassBytes() {}

    static byte[] make(String name, int leaves, int callers, int sitesPerCaller) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(0xCAFEBABE);
            out.writeInt(49);
            constants(out, name, leaves, callers);
            out.writeShort(1);
            out.writeShort(2);
            out.writeShort(4);
            out.writeInt(0);
            out.writeShort(leaves + callers);
            for (int i = 0; i < leaves; i++) method(out, 7 + 3 * i, leafCode(i));
            for (int i = 0; i < callers; i++) {
                method(out, 7 + 3 * (leaves + i), callerCode(leaves, i, sitesPerCaller));
            }
            out.writeShort(0);
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** 1-2 this class, 3-4 Object, 5 Code, 6 (I)I, then per method: name, name-and-type, methodref. */
    private static void constants(DataOutputStream out, String name, int leaves, int callers) throws IOException {
        out.writeShort(7 + 3 * (leaves + callers));
        utf8(out, name);
        classRef(out, 1);
        utf8(out, "java/lang/Object");
        classRef(out, 3);
        utf8(out, "Code");
        utf8(out, "(I)I");
        for (int i = 0; i < leaves + callers; i++) {
            utf8(out, i < leaves ? "L" + i : "C" + (i - leaves));
            out.writeByte(12);
            out.writeShort(7 + 3 * i);
            out.writeShort(6);
            out.writeByte(10);
            out.writeShort(2);
            out.writeShort(8 + 3 * i);
        }
    }

    private static void utf8(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private static void classRef(DataOutputStream out, int name) throws IOException {
        out.writeByte(7);
        out.writeShort(name);
    }

    private static void method(DataOutputStream out, int name, byte[] code) throws IOException {
        out.writeShort(9);
        out.writeShort(name);
        out.writeShort(6);
        out.writeShort(1);
        out.writeShort(5);
        out.writeInt(code.length + 12);
        out.writeShort(2);
        out.writeShort(1);
        out.writeInt(code.length);
        out.write(code);
        out.writeShort(0);
        out.writeShort(0);
    }

    private static byte[] leafCode(int i) {
        return new byte[] {26, 17, (byte) (i >> 8), (byte) i, 96, (byte) 172};
    }

    private static byte[] callerCode(int leaves, int caller, int sites) {
        byte[] code = new byte[2 + 3 * sites];
        code[0] = 26;
        for (int s = 0; s < sites; s++) {
            int ref = 9 + 3 * ((caller * 7 + s) % leaves);
            code[1 + 3 * s] = (byte) 184;
            code[2 + 3 * s] = (byte) (ref >> 8);
            code[3 + 3 * s] = (byte) ref;
        }
        code[code.length - 1] = (byte) 172;
        return code;
    }

    /** Defines classes from bytes. */
    static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
