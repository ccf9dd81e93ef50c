package assay.runtime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The methods behind the numbers on a stack. */
public final class Methods {
    /**
     * A method.
     *
     * @param className as in source: {@code java.util.Map$Entry}
     * @param name its name
     * @param descriptor parameter and result types as in class files
     */
    public record Method(String className, String name, String descriptor) implements Comparable<Method> {
        @Override
        public int compareTo(Method other) {
            int order = className.compareTo(other.className);
            order = order != 0 ? order : name.compareTo(other.name);
            return order != 0 ? order : descriptor.compareTo(other.descriptor);
        }

        @Override
        public String toString() {
            return className + "." + name + descriptor;
        }
    }

    private static final String TABLE = "META-INF/assay/methods";

    private static List<Method> known;

    private Methods() {}

    /**
     * The method with this number.
     *
     * @param number as found on a stack
     * @return its name; a made-up one when the jar that has it was not rewritten together with the others
     */
    public static synchronized Method get(int number) {
        if (known == null) {
            known = load();
        }
        Method method = number >= 0 && number < known.size() ? known.get(number) : null;
        return method != null ? method : new Method("", "<method " + number + ">", "");
    }

    private static List<Method> load() {
        List<Method> methods = new ArrayList<>();
        try {
            ClassLoader loader = Methods.class.getClassLoader();
            List<URL> tables = loader == null ? List.of() : Collections.list(loader.getResources(TABLE));
            for (URL table : tables) {
                try (InputStream in = table.openStream()) {
                    read(in, methods);
                }
            }
            if (tables.isEmpty()) {
                try (InputStream in = Methods.class.getResourceAsStream("/" + TABLE)) {
                    if (in != null) {
                        read(in, methods);
                    }
                }
            }
        } catch (IOException e) {
            System.err.println("assay: cannot read the names of methods: " + e.getMessage());
        }
        return methods;
    }

    /** A line with the number of the first method, then one line per method. */
    private static void read(InputStream in, List<Method> methods) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        int number = Integer.parseInt(lines.readLine().trim());
        for (String line; (line = lines.readLine()) != null; number++) {
            String[] parts = line.split("\t");
            if (parts.length != 3) {
                continue;
            }
            while (methods.size() <= number) {
                methods.add(null);
            }
            methods.set(number, new Method(parts[0], parts[1], parts[2]));
        }
    }
}
