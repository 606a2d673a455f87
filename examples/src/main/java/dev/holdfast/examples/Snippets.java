package dev.holdfast.examples;

import dev.holdfast.Candidacy;
import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.Loss;
import dev.holdfast.MultiLease;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.testing.ManualTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;

/** Every Java snippet of the README stands here; a test compares the code, comments and line breaks apart. */
final class Snippets {
    private Snippets() {}

    /** Stands for whatever reads and writes the invoices of the reader. */
    interface Invoices {
        Invoice load(Connection connection) throws SQLException;

        void save(Connection connection, Invoice invoice) throws SQLException;
    }

    interface Invoice {
        Invoice paid();
    }

    static void pay(DataSource database, Invoices invoices) throws InterruptedException, SQLException {
        Holdfast holdfast = Holdfast.over(RedisBackend.connect("redis://localhost:6379")); // one per process
        SqlFence fence = SqlFence.of("invoice-42");

        try (Lease lease = holdfast.lock("invoice-42").acquire(Duration.ofSeconds(5));
                Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            fence.announce(connection, lease.token()); // 1. announce
            Invoice invoice = invoices.load(connection); // 2. read
            invoices.save(connection, invoice.paid()); // 3. write
            connection.commit();
        }
    }

    static void waysToAcquire(Holdfast holdfast) throws InterruptedException {
        var lock = holdfast.lock("nightly-report")
                .withLease(Duration.ofSeconds(10))
                .describedAs("nightly report");

        lock.tryAcquire().ifPresent(Lease::close); // now or not at all
        lock.tryAcquire(Duration.ofSeconds(2)).ifPresent(Lease::close); // wait a little
        lock.acquire(Duration.ofSeconds(2)).close(); // wait a little, or LockTimeoutException
        lock.acquire().close(); // wait as long as it takes

        CompletableFuture<Lease> later = lock.acquireAsync(Duration.ofSeconds(2));
        later.thenAccept(Lease::close).join();

        lock.call(Duration.ofSeconds(2), lease -> "done"); // not begun on a lease that has ended
        lock.run(lease -> System.out.println("held with token " + lease.token())); // without a result, without a limit

        Lock asJdkLock = lock.asLock(); // reentrant per thread, for code that wants one
        asJdkLock.lock();
        try {
            System.out.println("held");
        } finally {
            asJdkLock.unlock();
        }
    }

    /** Stands for the reader's scheduler. */
    interface Scheduler {
        void runNextJob(FencingToken token) throws InterruptedException;
    }

    static Candidacy sharing(Holdfast holdfast, Scheduler scheduler) throws InterruptedException {
        try (MultiLease both = holdfast.lockAll("account-7", "account-9").acquire(Duration.ofSeconds(5))) {
            transfer(both.token("account-7"), both.token("account-9"));
        }

        Candidacy candidacy = holdfast.election("scheduler")
                .start(
                        lease -> { // told to stop before a rival can lead
                            while (!Thread.currentThread().isInterrupted()) {
                                scheduler.runNextJob(lease.token());
                            }
                        });
        return candidacy;
    }

    static void moreThanOneHolder(Holdfast holdfast) throws InterruptedException {
        try (Lease permit = holdfast.semaphore("exports", 8).acquire(Duration.ofSeconds(5))) {
            export("worker-" + permit.slot(), permit.token());
        }

        var catalog = holdfast.readWriteLock("catalog");
        catalog.read().run(reading -> show(reading.token()));
        catalog.write().run(writing -> save(writing.token()));
    }

    private static void export(String directory, FencingToken token) {
        System.out.println("exported to " + directory + " with token " + token);
    }

    private static void show(FencingToken token) {
        System.out.println("read with token " + token);
    }

    private static void save(FencingToken token) {
        System.out.println("written with token " + token);
    }

    private static void transfer(FencingToken from, FencingToken to) {
        System.out.println("transferred with tokens " + from + " and " + to);
    }

    static List<Loss> losing() {
        List<Loss> losses = new ArrayList<>();
        ManualTime time = new ManualTime();
        InMemoryBackend backend = new InMemoryBackend();
        try (Holdfast holdfast = Holdfast.builder(backend).environment(time).build()) {
            Lease lease = holdfast.lock("a").acquireAsync().join();
            lease.onLost(loss -> losses.add(loss)); // at the moment its validity ends

            backend.controls().pause(); // the store stops answering
            time.advance(Duration.ofSeconds(30)); // no test waits for a lease
        }
        return losses;
    }

    static Holdfast listening(InMemoryBackend backend) {
        return Holdfast.builder(backend)
                .listener(new LockListener() {
                    @Override
                    public void lost(Loss loss) {
                        System.err.println(loss);
                    }
                })
                .build();
    }
}
