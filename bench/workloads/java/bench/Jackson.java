package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Jackson: objects to JSON and back, and trees. */
public final class Jackson extends Workload {
    public static final class Item {
        public String name;
        public int count;
        public double price;
        public List<String> tags = new ArrayList<>();
        public Map<String, Integer> stock = new TreeMap<>();
        public Item child;
    }

    private final List<Item> items = new ArrayList<>();
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Jackson(), args);
    }

    @Override
    protected void prepare(Options options) {
        Words words = new Words(91, 1000);
        for (int i = 0; i < 1500; i++) items.add(item(words, 2));
        repeats = options.pick(12, 120);
    }

    private static Item item(Words words, int depth) {
        Item item = new Item();
        item.name = words.sentence(3);
        item.count = words.number(1000);
        item.price = words.number(100000) / 100.0;
        for (int i = words.number(5); i > 0; i--) item.tags.add(words.word());
        for (int i = words.number(5); i > 0; i--) item.stock.put(words.word(), words.number(50));
        if (depth > 0 && words.number(3) == 0) item.child = item(words, depth - 1);
        return item;
    }

    @Override
    protected long iterate() throws Exception {
        Sum sum = new Sum();
        ObjectMapper mapper = new ObjectMapper();
        for (int i = 0; i < repeats; i++) {
            byte[] bytes = mapper.writeValueAsBytes(items);
            Item[] back = mapper.readValue(bytes, Item[].class);
            JsonNode tree = mapper.readTree(bytes);
            sum.add(bytes.length).add(back[i % back.length].name).add(walk(tree));
        }
        return sum.get();
    }

    private static long walk(JsonNode node) {
        if (node.isNumber()) return node.asInt();
        if (node.isTextual()) return node.asText().length();
        long total = node.size();
        for (JsonNode child : node) total = total * 3 + walk(child);
        return total;
    }
}
