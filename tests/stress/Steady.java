import java.util.HashMap;
import java.util.Map;

/**
 * Does the same work for ever, in constant memory. The counter must not overflow: a change of what the program
 * does makes the JVM compile again, and the compiler's memory would be taken for ours.
 */
public class Steady {
    public static void main(String[] args) throws Exception {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; ; i = i == 999_999 ? 1000 : i + 1) {
            map.put(i % 1000, Integer.toString(i));
            if (map.get(i % 7) == null && i > 7) throw new IllegalStateException();
        }
    }
}
