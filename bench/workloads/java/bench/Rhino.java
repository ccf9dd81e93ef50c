package bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Scriptable;

/** Rhino: JavaScript programs, half of them interpreted and half compiled to bytecode. */
public final class Rhino extends Workload {
    private String program;
    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Rhino(), args);
    }

    @Override
    protected void prepare(Options options) throws IOException {
        try (InputStream in = Rhino.class.getResourceAsStream("programs.js")) {
            program = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        rounds = options.pick(2, 24);
    }

    @Override
    protected long iterate() {
        Sum sum = new Sum();
        for (int level : new int[] {-1, 9}) {
            Context context = Context.enter();
            try {
                context.setOptimizationLevel(level);
                context.setLanguageVersion(Context.VERSION_ES6);
                Scriptable scope = context.initStandardObjects();
                context.evaluateString(scope, program, "programs.js", 1, null);
                Object result = context.evaluateString(scope, "main(" + rounds + ")", "main", 1, null);
                sum.add(Context.toString(result));
            } finally {
                Context.exit();
            }
        }
        return sum.get();
    }
}
