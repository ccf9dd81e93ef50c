package assay.runtime;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

    /** What the native form was asked for. */
    private static final Map<Integer, Method> KNOWN = new HashMap<>();

    /** The tables of all rewritten jars, by their first number. */
    private static TreeMap<Integer, Method[]> tables;

    private Methods() {}

    /**
     * The method with this number.
     *
     * @param number as found on a stack
     * @return its name; a made-up one when no table has it
     */
    public static synchronized Method get(int number) {
        Method method = NativeForm.isUsed() ? KNOWN.computeIfAbsent(number, NativeForm::method) : inTables(number);
        return method != null ? method : new Method("", "<method " + number + ">", "");
    }

    private static Method inTables(int number) {
        if (tables == null) {
            tables = load();
        }
        Map.Entry<Integer, Method[]> table = tables.floorEntry(number);
        if (table != null && number - table.getKey() < table.getValue().length) {
            return table.getValue()[number - table.getKey()];
        }
        return null;
    }

    private static TreeMap<Integer, Method[]> load() {
        TreeMap<Integer, Method[]> found = new TreeMap<>();
        try {
            ClassLoader loader = Methods.class.getClassLoader();
            List<URL> places = loader == null
                    ? new ArrayList<>()
                    : Collections.list(loader.getResources(TABLE));
            if (places.isEmpty()) {
                URL place = Methods.class.getResource("/" + TABLE);
                if (place != null) {
                    places.add(place);
                }
            }
            for (URL place : places) {
                try (InputStream in = place.openStream()) {
                    read(new DataInputStream(new BufferedInputStream(in)), found, place);
                }
            }
        } catch (IOException e) {
            System.err.println("assay: cannot read the names of methods: " + e.getMessage());
        }
        return found;
    }

    /** Number of the first method, number of methods, then class, name and descriptor of each. */
    private static void read(DataInputStream in, TreeMap<Integer, Method[]> found, URL place) throws IOException {
        int first = in.readInt();
        Method[] methods = new Method[in.readInt()];
        for (int i = 0; i < methods.length; i++) {
            methods[i] = new Method(in.readUTF().replace('/', '.'), in.readUTF(), in.readUTF());
        }
        Map.Entry<Integer, Method[]> below = found.lowerEntry(first + methods.length);
        if (below != null && below.getKey() + below.getValue().length > first) {
            System.err.println("assay: " + place + " has numbers of another rewritten jar: names may be wrong;"
                    + " rewrite one of the two with --number");
        }
        found.put(first, methods);
    }
}
