package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Leader election. */
interface ElectionContract {
    int RIVAL_MILLIS = 200;

    @Test
    default void oneLeadsAtATimeAndTheNextOneAfterItResignedOrClosed(Bench bench) throws Exception {
        String name = bench.name("election");
        Holdfast one = bench.holdfast();
        Holdfast other = bench.holdfast();
        // Short enough for a store whose sessions are, and long enough for a busy machine.
        Duration lease = bench.lease().multipliedBy(12);
        AtomicInteger leading = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        BlockingQueue<Lease> started = new LinkedBlockingQueue<>();
        try (Candidacy first = one.election(name)
                        .withLease(lease)
                        .describedAs("first")
                        .start(held -> {
                            most.accumulateAndGet(leading.incrementAndGet(), Math::max);
                            started.add(held);
                            untilInterrupted();
                            leading.decrementAndGet();
                        });
                Candidacy second = other.election(name)
                        .withLease(lease)
                        .describedAs("second")
                        .start(held -> {
                            most.accumulateAndGet(leading.incrementAndGet(), Math::max);
                            started.add(held);
                            untilInterrupted();
                            leading.decrementAndGet();
                        })) {
            Lease token = leads(bench, started);
            Candidacy leader = first.isLeader() ? first : second;
            Candidacy next = leader == first ? second : first;
            bench.await(
                    "the store knows who leads",
                    () -> bench.guarded(() -> one.election(name).leader())
                            .filter(state -> state.holder().description().equals(leader == first ? "first" : "second"))
                            .isPresent());
            // A rival that was let in beside it needs a moment to show.
            assertThat(started.poll(RIVAL_MILLIS, TimeUnit.MILLISECONDS))
                    .as("the lease of somebody who leads beside it")
                    .isNull();
            if (bench.isFair()) {
                // Whoever resigns competes again: it is the other one's turn only if that one stands in the queue.
                bench.await(
                        "the other one waits",
                        () -> bench.guarded(() -> one.election(name).leader())
                                .filter(state -> !state.waiters().isEmpty())
                                .isPresent());
            }
            leader.resign();
            Lease afterwards = leads(bench, started);
            assertThat(afterwards.token()).isGreaterThan(token.token());
            bench.await("the next one leads", next::isLeader);
            next.close();
            assertThat(leads(bench, started).token()).isGreaterThan(afterwards.token());
            bench.await("the first one leads again", leader::isLeader);
        }
        assertThat(most).hasValue(1);
        bench.await(
                "nobody leads",
                () -> bench.guarded(() -> one.election(name).leader()).isEmpty());
    }

    private static Lease leads(Bench bench, BlockingQueue<Lease> started) throws InterruptedException {
        Lease lease = started.poll(bench.patience().toSeconds(), TimeUnit.SECONDS);
        assertThat(lease).as("the lease of somebody who leads").isNotNull();
        return lease;
    }

    private static void untilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException told) {
            // That is what it waited for.
        }
    }
}
