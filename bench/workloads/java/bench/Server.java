package bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A key-value server on loopback with a thread pool and a locked cache, and its clients. */
public final class Server extends Workload {
    private int clients;
    private int requests;

    public static void main(String[] args) {
        Driver.run(new Server(), args);
    }

    @Override
    protected void prepare(Options options) {
        clients = options.number("clients", 16);
        requests = options.pick(1500, 15000);
    }

    @Override
    protected long iterate() throws Exception {
        Store store = new Store();
        Sum sum = new Sum();
        ExecutorService handlers = Executors.newFixedThreadPool(clients);
        ExecutorService users = Executors.newFixedThreadPool(clients);
        try (ServerSocket listener = new ServerSocket(0, clients, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> accept(listener, handlers, store), "acceptor");
            acceptor.start();
            List<Future<Long>> results = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                results.add(users.submit(() -> user(listener.getLocalPort(), client)));
            }
            for (Future<Long> result : results) sum.add(result.get());
            acceptor.join();
        }
        handlers.shutdown();
        users.shutdown();
        return sum.get();
    }

    private void accept(ServerSocket listener, ExecutorService handlers, Store store) {
        try {
            for (int i = 0; i < clients; i++) {
                Socket socket = listener.accept();
                handlers.execute(() -> handle(socket, store));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void handle(Socket socket, Store store) {
        try (socket;
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                BufferedWriter out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(reply(line, store));
                out.write('\n');
                if (!in.ready()) out.flush();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String reply(String line, Store store) {
        String[] parts = line.split(" ", 3);
        switch (parts[0]) {
            case "PUT":
                return store.put(parts[1], parts[2]);
            case "GET":
                return store.get(parts[1]);
            case "SCORE":
                return Integer.toString(score(parts[2]));
            default:
                return "ERROR";
        }
    }

    private static int score(String text) {
        int total = 0;
        for (String word : text.split(" ")) {
            StringBuilder reversed = new StringBuilder(word).reverse();
            total += reversed.toString().hashCode() % 1000 + word.compareTo(reversed.toString());
        }
        return total;
    }

    private long user(int port, int client) throws IOException {
        Words words = new Words(131 + client, 400);
        Sum sum = new Sum();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                BufferedWriter out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()))) {
            for (int i = 0; i < requests; i += 10) {
                for (int k = 0; k < 10; k++) {
                    String key = "c" + client + "-" + words.number(50);
                    switch (words.number(3)) {
                        case 0 -> out.write("PUT " + key + " " + words.sentence(4) + "\n");
                        case 1 -> out.write("GET " + key + "\n");
                        default -> out.write("SCORE x " + words.sentence(12) + "\n");
                    }
                }
                out.flush();
                for (int k = 0; k < 10; k++) sum.add(in.readLine());
            }
        }
        return sum.get();
    }

    private static final class Store {
        private final Map<String, String> map = new LinkedHashMap<>();

        synchronized String put(String key, String value) {
            String before = map.put(key, value);
            return before == null ? "NEW" : before;
        }

        synchronized String get(String key) {
            return map.getOrDefault(key, "NONE");
        }
    }
}
