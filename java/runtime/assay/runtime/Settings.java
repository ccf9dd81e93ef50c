package assay.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** A setting comes from the system property {@code assay.NAME}, or else from what {@code assay rewrite} was told. */
final class Settings {
    private static final Properties GIVEN = load();

    private Settings() {}

    private static Properties load() {
        Properties properties = new Properties();
        try (InputStream in = Settings.class.getResourceAsStream("/META-INF/assay/settings")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("assay: cannot read the settings in the jar: " + e.getMessage());
        }
        return properties;
    }

    static String text(String name, String other) {
        String value = System.getProperty("assay." + name);
        return value != null ? value : GIVEN.getProperty(name, other);
    }

    /** @throws IllegalArgumentException when it is no number between the two */
    static int number(String name, int other, int least, int most) {
        String text = text(name, null);
        if (text == null) {
            return other;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "assay." + name + " must be a number between " + least + " and " + most + ", not '" + text + "'");
    }
}
