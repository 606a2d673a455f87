package dev.holdfast.examples;

import dev.holdfast.Holdfast;
import dev.holdfast.InMemoryBackend;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.Loss;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.testing.ManualTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** Every Java snippet of the README stands here; a test compares the code, comments and line breaks apart. */
final class Snippets {
    private Snippets() {}

    /** Whatever writes the invoices of the reader. */
    interface Invoices {
        void save(Connection connection, String invoice) throws SQLException;
    }

    static void main(Connection connection, Invoices invoices, String invoice)
            throws InterruptedException, SQLException {
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect("redis://localhost:6379"));
                Lease lease = holdfast.lock("invoice-42").acquire(Duration.ofSeconds(5))) {
            // first in the transaction that writes: from here on, older tokens are refused
            SqlFence.of("invoice-42").check(connection, lease.token());
            invoices.save(connection, invoice);
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

        Lock asJdkLock = lock.asLock(); // reentrant per thread, for code that wants one
        asJdkLock.lock();
        try {
            System.out.println("held");
        } finally {
            asJdkLock.unlock();
        }
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
