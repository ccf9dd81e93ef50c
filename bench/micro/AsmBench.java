import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The transformation of rewrite_bench.cc with OW2 ASM, in the way its guide recommends for speed: the
 * pool is copied, frames and maxs are kept. Arguments: warm-up seconds, seconds, archives. Speed is per
 * second of CPU time of the process: garbage collection is part of the price.
 */
public final class AsmBench {
    static long methods;

    static final class Probe extends ClassVisitor {
        Probe(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, "assay/Probe", "hit", "()V", false);
                    methods++;
                }
            };
        }
    }

    static long cpuTime() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    static byte[] rewrite(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new Probe(writer), 0);
        return writer.toByteArray();
    }

    public static void main(String[] arguments) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        long input = 0;
        for (int i = 2; i < arguments.length; i++) {
            try (InputStream in = new FileInputStream(arguments[i])) {
                if (arguments[i].endsWith(".jmod")) in.readNBytes(4);
                ZipInputStream zip = new ZipInputStream(in);
                for (ZipEntry entry; (entry = zip.getNextEntry()) != null;) {
                    if (!entry.getName().endsWith(".class") || entry.getName().endsWith("module-info.class")) continue;
                    byte[] bytes = zip.readAllBytes();
                    input += bytes.length;
                    classes.add(bytes);
                }
            }
        }
        long output = run(classes, Double.parseDouble(arguments[0]))[1];
        methods = 0;
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (byte[] bytes : classes) rewrite(bytes);
        long perClass = (threads.getCurrentThreadAllocatedBytes() - before) / classes.size();
        long methodsOnce = methods;
        long start = cpuTime();
        long rounds = run(classes, Double.parseDouble(arguments[1]))[0];
        double spent = (cpuTime() - start) / 1e9;
        System.out.printf("%.1f %d %d %d %d%n", input * rounds / 1e6 / spent, classes.size(), methodsOnce,
            output, perClass);
    }

    /** Whole rounds until the time is over: their number, and the bytes that one of them makes. */
    static long[] run(List<byte[]> classes, double seconds) {
        long start = cpuTime(), rounds = 0, output = 0;
        do {
            output = 0;
            for (byte[] bytes : classes) output += rewrite(bytes).length;
            rounds++;
        } while (cpuTime() - start < seconds * 1e9);
        return new long[] {rounds, output};
    }
}
