import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/** What HotSpot says of a null depends on which ways lead to the place where it is used. */
public class Explained {
    Explained next;
    int n;

    Explained get() {
        return next;
    }

    static void eitherOr(Explained p, boolean first) {
        (first ? p.next : p.get()).get();
    }

    static void eitherOrAgain(Explained p) {
        Object o = p.n == 0 ? p.next : p;
        o.hashCode();
    }

    static void orElse(Explained p) {
        Explained x;
        if ((x = p.get()) == null) {
            x = p.next;
        }
        x.get();
    }

    static void oneOfMany(Explained p, int which) {
        Explained x;
        switch (which) {
            case 0: x = p.next; break;
            case 1: x = p.get(); break;
            case 2: x = null; break;
            default: x = p;
        }
        x.get();
    }

    static void thrown(Explained p) throws Throwable {
        throw p.n == 0 ? (Exception) (Object) p.next : null;
    }

    static void loop(Explained p, int times) {
        for (int i = 0; i < times; i++) {
            Explained q = i == 0 ? p : p.next;
            for (int j = 0; j < 2; j++) {
                q = q.next;
            }
        }
    }

    static void iterate(Iterator<Explained> all) {
        Explained e;
        while ((e = all.next()) != null) {
            e.get();
        }
        e.get();
    }

    static void protect(Explained p) {
        try {
            (p.n == 0 ? p.next : p).get();
        } catch (IllegalStateException e) {
            (p.n == 1 ? p.next : p.get()).get();
        } finally {
            p.n += p.n > 5 ? 1 : 0;
        }
    }

    interface Action {
        void run() throws Throwable;
    }

    static String messageOf(Action action) {
        try {
            action.run();
            return "none";
        } catch (Throwable e) {
            return e + " at " + e.getStackTrace()[0];
        }
    }

    public static void main(String[] args) {
        Explained p = new Explained();
        List<Action> actions = new ArrayList<>(Arrays.asList(
                () -> eitherOr(p, true), () -> eitherOr(p, false), () -> eitherOrAgain(p), () -> orElse(p),
                () -> oneOfMany(p, 0), () -> oneOfMany(p, 1), () -> oneOfMany(p, 2), () -> oneOfMany(p, 3), () -> thrown(p),
                () -> loop(p, 3), () -> iterate(Arrays.asList(p, null).iterator()), () -> protect(p)));
        TreeSet<String> seen = new TreeSet<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < actions.size(); i++) {
                seen.add(i + " " + messageOf(actions.get(i)));
            }
        }
        seen.forEach(System.out::println);
    }
}
