package bench;

import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** FreeMarker: pages from templates with macros, loops and string built-ins. */
public final class Freemarker extends Workload {
    private static final String PAGE = "<#macro cell x><td>${x?html}</td></#macro>"
            + "<table><#list rows as row><#if row.count gt 10><tr class='${row?index % 2}'>"
            + "<@cell row.name?cap_first/><@cell row.count?string('0000')/>"
            + "<td><#list row.tags?sort as tag>${tag?upper_case}<#sep>, </#list></td>"
            + "<#assign total = (total!0) + row.count * row.price></tr><#else><tr/></#if></#list></table>"
            + "<#function fib n><#if n lt 2><#return n></#if><#return fib(n - 1) + fib(n - 2)></#function>"
            + "${total?string('0.00')} ${fib(12)}";
    private final Map<String, Object> model = new LinkedHashMap<>();
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Freemarker(), args);
    }

    @Override
    protected void prepare(Options options) {
        Words words = new Words(121, 800);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", words.sentence(2));
            row.put("count", words.number(100));
            row.put("price", words.number(1000) / 10.0);
            row.put("tags", List.of(words.word(), words.word(), words.word()));
            rows.add(row);
        }
        model.put("rows", rows);
        repeats = options.pick(30, 300);
    }

    @Override
    protected long iterate() throws Exception {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_31);
        StringTemplateLoader loader = new StringTemplateLoader();
        loader.putTemplate("page", PAGE);
        configuration.setTemplateLoader(loader);
        configuration.setLocale(Locale.ROOT);
        Sum sum = new Sum();
        for (int i = 0; i < repeats; i++) {
            StringWriter out = new StringWriter();
            configuration.getTemplate("page").process(model, out);
            sum.add(out.getBuffer());
        }
        return sum.get();
    }
}
