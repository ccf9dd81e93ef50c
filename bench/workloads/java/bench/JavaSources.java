package bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** A seeded tree of Java sources: generics, nested classes, lambdas, switches, loops. */
final class JavaSources {
    private JavaSources() {}

    /** File name inside the tree -> source text. */
    static Map<String, String> generate(long seed, int classes) {
        Random random = new Random(seed);
        Map<String, String> tree = new LinkedHashMap<>();
        tree.put("gen/Shape.java", "package gen;\npublic interface Shape<T extends Comparable<T>> {\n"
                + "  T value();\n  default int rank(Shape<T> o) { return value().compareTo(o.value()); }\n"
                + "  int eval(int x);\n}\n");
        for (int i = 0; i < classes; i++) tree.put("gen/C" + i + ".java", oneClass(random, i));
        return tree;
    }

    private static String oneClass(Random random, int index) {
        StringBuilder out = new StringBuilder("package gen;\nimport java.util.*;\nimport java.util.function.*;\n");
        out.append("public class C").append(index).append(" implements Shape<Integer> {\n");
        out.append("  private final Map<String, List<Integer>> table = new HashMap<>();\n");
        out.append("  private int state = ").append(random.nextInt(1000)).append(";\n");
        out.append("  public Integer value() { return state; }\n");
        out.append("  public int eval(int x) { return ");
        expression(random, out, 3);
        out.append("; }\n");
        int methods = 4 + random.nextInt(6);
        for (int m = 0; m < methods; m++) method(random, out, m, index);
        out.append("  static class Node<K extends Comparable<K>, V> {\n    K key; V value; Node<K, V> left, right;\n"
                + "    Node(K k, V v) { key = k; value = v; }\n"
                + "    V find(K k) { Node<K, V> n = this; while (n != null) { int c = k.compareTo(n.key);"
                + " if (c == 0) return n.value; n = c < 0 ? n.left : n.right; } return null; }\n  }\n");
        return out.append("}\n").toString();
    }

    private static void method(Random random, StringBuilder out, int m, int index) {
        String other = index == 0 ? "this" : "new C" + random.nextInt(index) + "()";
        out.append("  public int m").append(m).append("(int x, String s) {\n    int total = 0;\n");
        switch (random.nextInt(4)) {
            case 0 -> out.append("    for (int i = 0; i < x; i++) { total += ").append(other)
                    .append(".eval(i); if (total > 1000) continue; state ^= i; }\n");
            case 1 -> {
                out.append("    switch (s.length() % 7) {\n");
                for (int c = 0; c < 5; c++) {
                    out.append("      case ").append(c).append(": total += ");
                    expression(random, out, 2);
                    out.append("; break;\n");
                }
                out.append("      default: throw new IllegalStateException(\"bad \" + s + x);\n    }\n");
            }
            case 2 -> out.append("    Function<Integer, Integer> f = y -> y + x * ").append(random.nextInt(99))
                    .append(";\n    List<Integer> all = table.computeIfAbsent(s, k -> new ArrayList<>());\n"
                            + "    all.add(f.apply(state));\n    total = all.stream().filter(y -> y > x)"
                            + ".mapToInt(Integer::intValue).sum();\n");
            default -> out.append("    try { total = Integer.parseInt(s) + new Node<>(s, x).find(s); }\n"
                    + "    catch (NumberFormatException | NullPointerException e) { total = -x; }\n"
                    + "    finally { state++; }\n    StringBuilder b = new StringBuilder();\n"
                    + "    for (String part : s.split(\",\")) b.append(part).append(total);\n"
                    + "    total += b.length();\n");
        }
        out.append("    return total;\n  }\n");
    }

    private static void expression(Random random, StringBuilder out, int depth) {
        if (depth == 0) {
            out.append(random.nextBoolean() ? "x" : "state");
            return;
        }
        out.append('(');
        expression(random, out, depth - 1);
        out.append(new String[] {" + ", " * ", " - ", " ^ ", " & "}[random.nextInt(5)]);
        if (random.nextInt(3) == 0) out.append(random.nextInt(100));
        else expression(random, out, depth - 1);
        out.append(')');
    }
}
