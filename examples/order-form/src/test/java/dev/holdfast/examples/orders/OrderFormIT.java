package dev.holdfast.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spring.Locked;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * Two machines sell one stock. A seller on the first has read the stock and is frozen until its lock has gone to the second, where 16
 * clients buy everything. Then it goes on.
 */
class OrderFormIT {
    private static final int PIECES = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private static EmbeddedPostgres postgres;
    private static JdbcTemplate database;

    @BeforeAll
    static void startDatabase() throws Exception {
        postgres = Postgres.start();
        database = new JdbcTemplate(postgres.getPostgresDatabase());
    }

    @AfterAll
    static void stopDatabase() throws Exception {
        postgres.close();
    }

    @Test
    void aFencedStockStaysRight() throws Exception {
        // The frozen seller's transaction has announced its token: the others wait for it in the database, whoever has
        // the lock.
        int sold = sellEverything(1, soFar -> somebodyWaitsInTheDatabase());
        assertThat(sold).isEqualTo(PIECES);
        assertThat(quantity(1)).isZero();
        assertThat(orders(1)).isEqualTo(PIECES);
    }

    @Test
    void withoutFencedMoreIsSoldThanThereWas() throws Exception {
        // The same, with a lock alone. The frozen seller writes what it had read before the others sold.
        int sold = sellEverything(2, soFar -> soFar >= 5, Unfenced.class);
        assertThat(sold).isGreaterThan(PIECES);
    }

    @Test
    void aScheduledReportIsMadeOnOneMachine() {
        redis.call("FLUSHALL");
        database.execute("DROP TABLE IF EXISTS report");
        try (ConfigurableApplicationContext first = start("--report.every=100ms", "--report.at-least=1h");
                ConfigurableApplicationContext second = start("--report.every=100ms", "--report.at-least=1h")) {
            Awaitility.await().atMost(PATIENCE).until(() -> count("report") == 1);
            // Within a second each machine comes by ten times, and finds that it was done.
            Awaitility.await().during(Duration.ofSeconds(1)).atMost(PATIENCE).until(() -> count("report") == 1);
            assertThat(first.isRunning() && second.isRunning()).isTrue();
        }
    }

    /** @param goesOn when the frozen seller does, by what the others have sold so far */
    private static int sellEverything(int item, IntPredicate goesOn, Class<?>... more) throws Exception {
        try (ConfigurableApplicationContext first = start(more);
                ConfigurableApplicationContext second = start(more)) {
            database.update("INSERT INTO stock VALUES (?, ?)", item, PIECES);
            FreezingCarrier carrier = first.getBean(FreezingCarrier.class);
            carrier.freezeOnce();
            CompletableFuture<Integer> frozen = CompletableFuture.supplyAsync(() -> order(first, item));
            assertThat(carrier.frozen.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            breakLock(second.getBean(Holdfast.class), "stock:" + item);
            AtomicInteger sold = new AtomicInteger();
            ExecutorService clients = Executors.newFixedThreadPool(16);
            List<Future<?>> buying = new ArrayList<>();
            for (int client = 0; client < 16; client++) {
                buying.add(clients.submit(() -> {
                    while (order(second, item) == 201) {
                        sold.incrementAndGet();
                    }
                }));
            }
            Awaitility.await().atMost(PATIENCE).until(() -> goesOn.test(sold.get()));
            carrier.goOn.countDown();
            if (frozen.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) == 201) {
                sold.incrementAndGet();
            }
            for (Future<?> each : buying) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            clients.shutdown();
            return sold.get();
        }
    }

    /** For the transaction of the frozen seller to end. */
    private static boolean somebodyWaitsInTheDatabase() {
        return database.queryForObject(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'transactionid'",
                        Integer.class)
                > 0;
    }

    /** As if the lease of a machine that stands still had run out at the store: it does not know. */
    private static void breakLock(Holdfast holdfast, String name) throws InterruptedException {
        assertThat(holdfast.breakLock(holdfast.inspect(name).orElseThrow())).isPresent();
    }

    private static int order(ConfigurableApplicationContext shop, int item) {
        String port = shop.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders?item=" + item))
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(PATIENCE)
                .build();
        try {
            return HTTP.send(request, BodyHandlers.discarding()).statusCode();
        } catch (java.io.IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static int quantity(int item) {
        return database.queryForObject("SELECT quantity FROM stock WHERE item = ?", Integer.class, item);
    }

    private static int orders(int item) {
        return database.queryForObject("SELECT count(*) FROM orders WHERE item = ?", Integer.class, item);
    }

    private static int count(String table) {
        return database.queryForObject("SELECT count(*) FROM " + table, Integer.class);
    }

    private static ConfigurableApplicationContext start(Class<?>... more) {
        return new SpringApplicationBuilder(OrderForm.class, Frozen.class)
                .sources(more)
                .run(arguments());
    }

    private static ConfigurableApplicationContext start(String... more) {
        List<String> arguments = new ArrayList<>(List.of(arguments()));
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(OrderForm.class).run(arguments.toArray(String[]::new));
    }

    private static String[] arguments() {
        return new String[] {
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=warn",
            "--spring.data.redis.port=" + redis.port(),
            "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
            "--spring.datasource.hikari.maximum-pool-size=20",
            // So that the frozen seller does not learn of the broken lock from a renewal before it goes on.
            "--holdfast.lease=60s",
            // So that a server which stands still for a while is not taken for one that is gone.
            "--holdfast.redis.command-timeout=30s",
        };
    }

    // Without @Configuration, so that the scan of the application does not find them.

    static class Frozen {
        @Bean
        @Primary
        FreezingCarrier freezingCarrier() {
            return new FreezingCarrier();
        }
    }

    static class FreezingCarrier extends Carrier {
        final CountDownLatch frozen = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean freeze;

        void freezeOnce() {
            freeze = true;
        }

        @Override
        void reserveSlot(int item) {
            if (freeze) {
                freeze = false;
                frozen.countDown();
                try {
                    assertThat(goOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    static class Unfenced {
        @Bean
        @Primary
        UnfencedStock unfencedStock(JdbcTemplate database, Carrier carrier) {
            return new UnfencedStock(database, carrier);
        }
    }

    /** What the tutorials have: a lock around a transaction. */
    static class UnfencedStock extends Stock {
        UnfencedStock(JdbcTemplate database, Carrier carrier) {
            super(database, carrier);
        }

        @Override
        @Locked(name = "stock", key = "#item", maxWait = "60s")
        @Transactional
        public boolean sell(int item) {
            return super.sell(item);
        }
    }
}
