package bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs a workload a number of times and checks that every iteration computed the same. The last
 * line on stdout is "checksum HEX". With --times FILE one JSON object per iteration is written.
 *
 * <p>With --marks the driver prints "mark PID N" before the first and after every iteration and
 * waits for a line on stdin, so that the harness can read the process's CPU clock from outside:
 * inside the JVM that clock has a resolution of only 10 ms.
 */
public final class Driver {
    private Driver() {}

    public static void run(Workload workload, String[] args) {
        try {
            Options options = new Options(args);
            workload.prepare(options);
            long checksum = iterate(workload, options);
            workload.close();
            System.out.println("checksum " + Long.toHexString(checksum));
            System.out.flush();
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(4);
        }
    }

    private static long iterate(Workload workload, Options options) throws Exception {
        StringBuilder times = new StringBuilder();
        long checksum = 0;
        if (options.marks) mark(0);
        for (int i = 0; i < options.iterations; i++) {
            long cpu = options.times == null ? 0 : processCpu();
            long wall = System.nanoTime();
            long result = workload.iterate();
            if (options.times != null) {
                times.append("{\"iteration\": ").append(i).append(", \"wall_ns\": ")
                        .append(System.nanoTime() - wall).append(", \"cpu_ns\": ")
                        .append(processCpu() - cpu).append("}\n");
            }
            if (options.marks) mark(i + 1);
            if (i > 0 && result != checksum) {
                throw new IllegalStateException("iteration " + i + " computed "
                        + Long.toHexString(result) + ", before " + Long.toHexString(checksum));
            }
            checksum = result;
        }
        if (options.times != null) Files.writeString(Path.of(options.times), times);
        return checksum;
    }

    private static void mark(int number) throws IOException {
        PrintStream out = System.out;
        out.println("mark " + ProcessHandle.current().pid() + " " + number);
        out.flush();
        while (true) {
            int c = System.in.read();
            if (c == '\n' || c < 0) return;
        }
    }

    private static long processCpu() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000_000L;
    }
}
