import java.util.HashMap;
import java.util.Map;

/** Does the same work for ever, in constant memory. */
public class Steady {
    public static void main(String[] args) throws Exception {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; ; i++) {
            map.put(i % 1000, Integer.toString(i));
            if (map.get(i % 7) == null && i > 7) throw new IllegalStateException();
        }
    }
}
