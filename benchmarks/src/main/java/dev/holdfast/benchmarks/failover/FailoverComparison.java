package dev.holdfast.benchmarks.failover;

import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.SentinelFailover;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.config.Config;

/**
 * The master behind three sentinels is killed with {@code kill -9} while two libraries take one name each, over and over, in the
 * same run: how long nobody gets the lock, and what becomes of the writes made under it. Before every other kill the replica falls
 * behind, so that the new master has not heard of the newest lock.
 */
public final class FailoverComparison {
    private static final int CLIENTS = 2;
    private static final long SETTLE_SECONDS = 5;
    private static final long PATIENCE_SECONDS = 40;

    private final RedisSentinels sentinels;
    private final Accounts accounts;
    private final SentinelFailover failover;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<List<Contestant>> contestants = new ArrayList<>();
    private final List<Workers> workers = new ArrayList<>();
    private final FailoverReport report = new FailoverReport();

    private FailoverComparison(RedisSentinels sentinels, Accounts accounts) {
        this.sentinels = sentinels;
        this.accounts = accounts;
        this.failover = new SentinelFailover(sentinels);
    }

    /**
     * Runs it, and prints tables in Markdown.
     *
     * @param arguments {@code --long} for fifty kills, or their number; otherwise five
     */
    public static void main(String[] arguments) {
        int kills = kills(arguments.length == 0 ? "5" : arguments[0]);
        int status = 1;
        try (RedisSentinels sentinels = RedisSentinels.trio().start();
                Accounts accounts = new Accounts()) {
            SqlFence.createTable(accounts.dataSource());
            new FailoverComparison(sentinels, accounts).run(kills);
            status = 0;
        } catch (Exception | AssertionError e) {
            System.err.println("It could not be measured: " + e);
        }
        // The libraries' own threads need not end by themselves.
        System.exit(status);
    }

    private static int kills(String argument) {
        return argument.equals("--long") ? 50 : Integer.parseInt(argument);
    }

    private void run(int kills) throws Exception {
        enter("holdfast", () -> new HoldfastContestant(sentinels.url(), accounts.dataSource()));
        enter("redisson", () -> new RedissonContestant(redissonConfig(), accounts.dataSource()));
        awaitService(System.nanoTime());
        for (int i = 1; i <= kills; i++) {
            kill(i, i % 2 == 0);
        }
        for (Workers each : workers) {
            each.stop();
            report.writes(each, accounts.total(each.lock()));
        }
        report.print();
        contestants.forEach(clients -> clients.forEach(Contestant::close));
        threads.shutdownNow();
    }

    private interface Maker {
        Contestant make();
    }

    private void enter(String lock, Maker maker) throws Exception {
        List<Contestant> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(maker.make());
        }
        contestants.add(clients);
        accounts.open(lock);
        workers.add(new Workers(clients, lock).start());
    }

    private Config redissonConfig() {
        Config config = new Config();
        String[] addresses =
                sentinels.sentinels().stream().map(RedisServer::url).toArray(String[]::new);
        config.useSentinelServers().setMasterName(RedisSentinels.MASTER).addSentinelAddress(addresses);
        return config;
    }

    private void kill(int number, boolean replicaBehind) throws Exception {
        List<StaleSections> stale = new ArrayList<>();
        if (replicaBehind) {
            failover.holdBackReplication("");
            for (List<Contestant> clients : contestants) {
                String lock = "stale-" + clients.get(0).name() + "-" + number;
                accounts.open(lock);
                stale.add(new StaleSections(clients, lock, threads));
            }
            for (StaleSections each : stale) {
                each.awaitEntered();
            }
        }
        workers.forEach(Workers::forgetGaps);
        long before = System.nanoTime();
        failover.failOver("");
        long promoted = System.nanoTime() - before;
        stale.forEach(StaleSections::failedOver);
        awaitService(System.nanoTime());
        report.kill(number, replicaBehind, promoted, workers);
        for (StaleSections each : stale) {
            report.stale(each.name(), each.acknowledged(), accounts.total(each.lock()));
        }
        failover.restore();
        awaitService(System.nanoTime());
    }

    private boolean areServedSince(long nanos) {
        return workers.stream().allMatch(each -> each.areServedSince(nanos));
    }

    /** Until every thread has had the lock again, or one has not for too long. */
    private void awaitService(long since) throws InterruptedException {
        long until = since + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        do {
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        } while (!areServedSince(since) && System.nanoTime() - until < 0);
    }

    /** A section of each kind for one lock, begun before the kill and after it. */
    private static final class StaleSections {
        private static final long ENTER_SECONDS = 5;
        private static final long SECOND_SECONDS = 45;

        private final String name;
        private final String lock;
        private final StaleWriter writer;
        private final CompletableFuture<Void> entered = new CompletableFuture<>();
        private final CompletableFuture<Boolean> first;
        private final CompletableFuture<Boolean> second;

        StaleSections(List<Contestant> clients, String lock, ExecutorService threads) {
            this.name = clients.get(0).name();
            this.lock = lock;
            this.writer = new StaleWriter(clients.get(0), clients.get(1), lock, threads);
            this.first = writer.first(entered);
            this.second = writer.second();
        }

        String name() {
            return name;
        }

        String lock() {
            return lock;
        }

        void awaitEntered() throws Exception {
            try {
                entered.get(ENTER_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException stillWaiting) {
                // Then it enters after the failover, like the other.
            }
        }

        void failedOver() {
            writer.failedOver();
        }

        /** How many of the two writes were acknowledged. */
        int acknowledged() throws Exception {
            boolean wrote = second.completeOnTimeout(false, SECOND_SECONDS, TimeUnit.SECONDS)
                    .get();
            writer.giveUp();
            return (wrote ? 1 : 0) + (first.get() ? 1 : 0);
        }
    }
}
