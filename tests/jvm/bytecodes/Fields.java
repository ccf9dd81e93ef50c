import java.lang.reflect.Field;

/** Which fields java.lang.Thread has that no compiler put there, before and after a line of input. */
public final class Fields {
    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += i % 3 == 0 ? sum ^ i : i;
        return sum;
    }

    static String added() {
        StringBuilder names = new StringBuilder("added:");
        for (Field field : Thread.class.getDeclaredFields()) {
            if (field.isSynthetic()) names.append(' ').append(field.getType().getName()).append(' ').append(field.getName());
        }
        return names.toString();
    }

    public static void main(String[] args) throws Exception {
        System.out.println(added());
        System.in.read();
        int[] sums = new int[4];
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < threads.length; i++) {
            int n = i;
            threads[i] = new Thread(() -> sums[n] = work(100_000 + n), "worker-" + n);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(sums[0] + " " + sums[1] + " " + sums[2] + " " + sums[3]);
        System.out.println(added());
    }
}
