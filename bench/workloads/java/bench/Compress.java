package bench;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.compressors.CompressorStreamFactory;

/** Commons Compress: text through pure-Java compressors and back. */
public final class Compress extends Workload {
    private byte[] text;
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Compress(), args);
    }

    @Override
    protected void prepare(Options options) {
        text = new Words(111, 3000).sentence(60_000).getBytes(StandardCharsets.UTF_8);
        repeats = options.pick(2, 20);
    }

    @Override
    protected long iterate() throws Exception {
        Sum sum = new Sum();
        CompressorStreamFactory factory = new CompressorStreamFactory();
        for (int i = 0; i < repeats; i++) {
            for (String format : new String[] {"bzip2", "snappy-framed"}) {
                ByteArrayOutputStream packed = new ByteArrayOutputStream();
                try (OutputStream out = factory.createCompressorOutputStream(format, packed)) {
                    out.write(text);
                }
                InputStream in = factory.createCompressorInputStream(
                        format, new ByteArrayInputStream(packed.toByteArray()));
                sum.add(packed.size()).add(in.readAllBytes());
            }
        }
        return sum.get();
    }
}
