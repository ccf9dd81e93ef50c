package bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The JDK's own collections and streams: text statistics, shortest paths, grouping. */
public final class Collections extends Workload {
    private List<String> words;
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Collections(), args);
    }

    @Override
    protected void prepare(Options options) {
        Words source = new Words(151, 3000);
        words = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) words.add(source.word());
        repeats = options.pick(15, 150);
    }

    @Override
    protected long iterate() {
        Sum sum = new Sum();
        for (int i = 0; i < repeats; i++) sum.add(count()).add(group()).add(paths(i)).add(waves());
        return sum.get();
    }

    private long count() {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : words) counts.merge(word, 1, Integer::sum);
        PriorityQueue<Map.Entry<String, Integer>> top = new PriorityQueue<>(
                (x, y) -> x.getValue().equals(y.getValue()) ? x.getKey().compareTo(y.getKey()) : y.getValue() - x.getValue());
        top.addAll(counts.entrySet());
        long result = 0;
        for (int i = 0; i < 50; i++) result = result * 31 + top.poll().getValue();
        return result;
    }

    private long group() {
        TreeMap<Integer, List<String>> byLength = words.stream().filter(w -> w.charAt(0) != 'q')
                .map(String::toUpperCase).distinct().collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.toList()));
        return byLength.values().stream().mapToLong(list -> list.stream().sorted().limit(5).collect(Collectors.joining()).hashCode()).sum();
    }

    private static long paths(int seed) {
        int n = 2000;
        int[] distance = new int[n];
        java.util.Arrays.fill(distance, Integer.MAX_VALUE);
        PriorityQueue<long[]> queue = new PriorityQueue<>((x, y) -> Long.compare(x[0], y[0]));
        queue.add(new long[] {0, seed % n});
        long total = 0;
        while (!queue.isEmpty()) {
            long[] next = queue.poll();
            int node = (int) next[1];
            if (distance[node] <= next[0]) continue;
            distance[node] = (int) next[0];
            total += next[0];
            for (int k = 1; k < 6; k++) queue.add(new long[] {next[0] + k * 7 % 5 + 1, (node * 3L + k * 17) % n});
        }
        return total;
    }

    private long waves() {
        ArrayDeque<Integer> deque = new ArrayDeque<>();
        long total = 0;
        for (String word : words) {
            deque.addLast(word.hashCode());
            if (deque.size() > 100) total += deque.pollFirst();
        }
        return total;
    }
}
