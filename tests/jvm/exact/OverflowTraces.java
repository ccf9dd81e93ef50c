import java.util.Set;
import java.util.TreeSet;

/** What a stack trace shows where the stack ran out. */
public class OverflowTraces {
    static int even(int n) {
        return odd(n + 1) + 1;
    }

    static int odd(int n) {
        return even(n + 1) + 1;
    }

    public static void main(String[] args) {
        Set<String> seen = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            try {
                even(0);
            } catch (StackOverflowError e) {
                for (StackTraceElement frame : e.getStackTrace()) {
                    seen.add(frame.toString());
                }
            }
        }
        seen.forEach(System.out::println);
    }
}
