package bench;

import java.util.HashMap;
import java.util.Map;

/** --size, --iterations, --times FILE, --marks, and --param key=value. */
public final class Options {
    public boolean large;
    public int iterations = 1;
    public String times;
    public boolean marks;
    private final Map<String, String> params = new HashMap<>();

    Options(String[] args) {
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--size" -> large = size(value(args, ++i));
                case "--iterations" -> iterations = Integer.parseInt(value(args, ++i));
                case "--times" -> times = value(args, ++i);
                case "--marks" -> marks = true;
                case "--param" -> {
                    String[] pair = value(args, ++i).split("=", 2);
                    if (pair.length != 2) throw usage("--param wants key=value");
                    params.put(pair[0], pair[1]);
                }
                default -> throw usage("unknown option " + args[i]);
            }
        }
    }

    public int pick(int small, int big) {
        return large ? big : small;
    }

    public int number(String key, int otherwise) {
        String value = params.get(key);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    public String text(String key, String otherwise) {
        return params.getOrDefault(key, otherwise);
    }

    private static boolean size(String name) {
        if (!name.equals("small") && !name.equals("large")) throw usage("--size small|large");
        return name.equals("large");
    }

    private static String value(String[] args, int i) {
        if (i >= args.length) throw usage(args[i - 1] + " wants a value");
        return args[i];
    }

    private static IllegalArgumentException usage(String why) {
        return new IllegalArgumentException(why);
    }
}
