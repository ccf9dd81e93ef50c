import java.util.HashMap;
import java.util.Map;

/** Work that depends on hash codes which a JVM may have stored: those of the JDK's strings and classes. */
public class Hashes {
    public static void main(String[] args) {
        String[] names = {"java.version", "true", "UTF-8", "main", "java.home", "user.dir", "file.encoding", "os.name"};
        Map<Object, Integer> counts = new HashMap<>();
        for (int round = 0; round < 200; round++) {
            for (String name : names) {
                counts.merge(name, 1, Integer::sum);
            }
            for (Class<?> type : new Class<?>[] {String.class, Integer.class, Thread.class, Map.class, Class.class}) {
                counts.merge(type, 1, Integer::sum);
            }
        }
        int order = 0;
        for (Object key : counts.keySet()) {
            order = order * 31 + key.toString().length();
            for (int i = order & 63; i > 0; i--) {
                order ^= i;
            }
        }
        System.out.println(counts.size());
    }
}
