package bench;

import java.util.Random;

/** Seeded text: words with a skewed distribution, as in natural language. */
public final class Words {
    private static final String[] SYLLABLES = {"ba", "co", "di", "fu", "ga", "hel", "in", "jo", "ka",
        "lor", "mi", "no", "or", "pe", "qua", "ri", "so", "ta", "un", "ver", "wi", "xen", "yo", "zu"};
    private final Random random;
    private final String[] words;

    public Words(long seed, int vocabulary) {
        random = new Random(seed);
        words = new String[vocabulary];
        for (int i = 0; i < vocabulary; i++) {
            StringBuilder word = new StringBuilder();
            for (int s = 1 + random.nextInt(3); s >= 0; s--) {
                word.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
            }
            words[i] = word.toString();
        }
    }

    public String word() {
        double skewed = Math.pow(random.nextDouble(), 3);
        return words[(int) (skewed * words.length)];
    }

    public String sentence(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            if (i > 0) text.append(' ');
            text.append(word());
        }
        return text.toString();
    }

    public int number(int bound) {
        return random.nextInt(bound);
    }
}
