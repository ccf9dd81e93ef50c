package bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * A database in memory: orders of customers, with look-ups, updates, joins, grouping and ordering.
 * Each client works on the rows of its own customers, so the result does not depend on scheduling.
 */
public final class Jdbc extends Workload {
    private static int databases;
    private String url;
    private String drop;
    private int customers;
    private int operations;
    private int clients;

    public static void main(String[] args) {
        Driver.run(new Jdbc(), args);
    }

    @Override
    protected void prepare(Options options) throws Exception {
        System.setProperty("derby.stream.error.file", "/dev/null");
        url = options.text("url", "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1");
        drop = options.text("drop", "");
        Class.forName(options.text("driver", "org.h2.Driver"));
        clients = options.number("clients", 1);
        int scale = options.number("scale", 100);
        customers = 200 * clients;
        operations = options.pick(2000, 20000) * scale / 100 / clients;
    }

    @Override
    protected long iterate() throws Exception {
        String name = "bench" + databases++;
        String address = String.format(url, name);
        Sum sum = new Sum();
        try (Connection keeper = DriverManager.getConnection(address, "sa", "")) {
            fill(keeper);
            ExecutorService pool = Executors.newFixedThreadPool(clients);
            List<Future<Long>> results = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                Callable<Long> task = () -> client(address, client);
                results.add(pool.submit(task));
            }
            for (Future<Long> result : results) sum.add(result.get());
            pool.shutdown();
            report(keeper, sum);
            try (Statement s = keeper.createStatement()) {
                if (drop.isEmpty()) s.execute("SHUTDOWN");
            }
        }
        if (!drop.isEmpty()) dropDatabase(name);
        return sum.get();
    }

    private void dropDatabase(String name) {
        try {
            DriverManager.getConnection(String.format(drop, name)).close();
        } catch (SQLException expected) {
            // Derby reports a successful drop as an exception.
            if (!expected.getSQLState().equals("08006")) throw new IllegalStateException(expected);
        }
    }

    private void fill(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(60), credit BIGINT, city VARCHAR(30))");
            s.execute("CREATE TABLE orders (id INT PRIMARY KEY, customer INT, item VARCHAR(40), amount INT, due INT)");
            s.execute("CREATE INDEX by_customer ON orders (customer)");
        }
        Words words = new Words(21, 500);
        try (PreparedStatement p = c.prepareStatement("INSERT INTO customer VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < customers; i++) {
                p.setInt(1, i);
                p.setString(2, words.sentence(2));
                p.setLong(3, 1000);
                p.setString(4, words.word());
                p.executeUpdate();
            }
        }
    }

    private long client(String address, int client) throws SQLException {
        Random random = new Random(31 + client);
        Words words = new Words(41 + client, 300);
        Sum sum = new Sum();
        try (Connection c = DriverManager.getConnection(address, "sa", "");
                PreparedStatement insert = c.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, ?, ?)");
                PreparedStatement pay = c.prepareStatement("UPDATE customer SET credit = credit - ? WHERE id = ?");
                PreparedStatement get = c.prepareStatement("SELECT name, credit FROM customer WHERE id = ?");
                PreparedStatement list = c.prepareStatement("SELECT id, item, amount FROM orders"
                        + " WHERE customer = ? AND amount > ? ORDER BY amount DESC, id")) {
            for (int i = 0; i < operations; i++) {
                int id = client * 200 + random.nextInt(200);
                switch (random.nextInt(4)) {
                    case 0, 1 -> {
                        int amount = random.nextInt(500);
                        insert.setInt(1, client * 10_000_000 + i);
                        insert.setInt(2, id);
                        insert.setString(3, words.sentence(2));
                        insert.setInt(4, amount);
                        insert.setInt(5, i % 365);
                        insert.executeUpdate();
                        pay.setInt(1, amount);
                        pay.setInt(2, id);
                        sum.add(pay.executeUpdate());
                    }
                    case 2 -> {
                        get.setInt(1, id);
                        rows(get, sum);
                    }
                    default -> {
                        list.setInt(1, id);
                        list.setInt(2, random.nextInt(300));
                        rows(list, sum);
                    }
                }
            }
        }
        return sum.get();
    }

    private static void rows(PreparedStatement query, Sum sum) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                for (int i = 1; i <= columns; i++) sum.add(rows.getString(i));
            }
        }
    }

    private static void report(Connection c, Sum sum) throws SQLException {
        String[] queries = {
            "SELECT city, COUNT(*), SUM(amount), MAX(due) FROM customer JOIN orders ON customer.id = orders.customer"
                    + " GROUP BY city ORDER BY 3 DESC, city",
            "SELECT name, credit FROM customer WHERE credit < (SELECT AVG(credit) FROM customer) ORDER BY credit, id",
            "SELECT due, COUNT(DISTINCT customer) FROM orders WHERE item LIKE '%or%' GROUP BY due ORDER BY due"};
        for (String query : queries) {
            try (PreparedStatement p = c.prepareStatement(query)) {
                rows(p, sum);
            }
        }
    }
}
