package bench;

import clojure.lang.Compiler;
import clojure.lang.RT;
import clojure.lang.Var;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** Clojure: persistent collections, lazy sequences, and its compiler. */
public final class Clojure extends Workload {
    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Clojure(), args);
    }

    @Override
    protected void prepare(Options options) {
        rounds = options.pick(2, 24);
        RT.init();
    }

    @Override
    protected long iterate() throws Exception {
        try (Reader in = new InputStreamReader(
                Clojure.class.getResourceAsStream("programs.clj"), StandardCharsets.UTF_8)) {
            Var main = (Var) Compiler.load(in);
            return new Sum().add(String.valueOf(main.invoke(rounds))).get();
        }
    }
}
