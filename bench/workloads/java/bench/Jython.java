package bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.python.core.PyObject;
import org.python.core.PySystemState;
import org.python.util.PythonInterpreter;

/** Jython: Python programs on the JVM. */
public final class Jython extends Workload {
    private String program;
    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Jython(), args);
    }

    @Override
    protected void prepare(Options options) throws IOException {
        try (InputStream in = Jython.class.getResourceAsStream("programs.py")) {
            program = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        rounds = options.pick(2, 24);
        Properties settings = new Properties();
        settings.setProperty("python.cachedir.skip", "true");
        settings.setProperty("python.import.site", "false");
        PySystemState.initialize(System.getProperties(), settings);
    }

    @Override
    protected long iterate() {
        try (PythonInterpreter python = new PythonInterpreter()) {
            python.exec(program);
            PyObject result = python.eval("main(" + rounds + ")");
            return new Sum().add(result.toString()).get();
        }
    }
}
