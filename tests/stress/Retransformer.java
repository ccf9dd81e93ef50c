import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Random;

/** Another agent in the same JVM: retransforms classes, without changing them, for as long as the program runs. */
public class Retransformer {
    public static void premain(String options, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                return type == null ? null : bytes.clone();
            }
        }, true);
        Thread thread = new Thread(() -> loop(instrumentation), "retransformer");
        thread.setDaemon(true);
        thread.start();
    }

    private static void loop(Instrumentation instrumentation) {
        Random random = new Random(1);
        while (true) {
            try {
                Class<?>[] all = instrumentation.getAllLoadedClasses();
                for (int i = 0; i < 20; i++) {
                    Class<?> type = all[random.nextInt(all.length)];
                    if (instrumentation.isModifiableClass(type)) instrumentation.retransformClasses(type);
                }
                Thread.sleep(50);
            } catch (InterruptedException e) {
                return;
            } catch (Throwable e) {
                // A class that another agent or the program is just changing; the next one will do.
            }
        }
    }
}
