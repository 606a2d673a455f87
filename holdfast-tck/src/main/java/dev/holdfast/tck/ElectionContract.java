package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Candidacy;
import dev.holdfast.CriticalAction;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Leader election. */
interface ElectionContract {
    int RIVAL_MILLIS = 200;

    /** Somebody began to lead. */
    record Led(String who, Lease lease) {}

    @Test
    default void oneLeadsAtATimeAndTheNextOneAfterItResignedOrClosed(Bench bench) throws Exception {
        String name = bench.name("election");
        Holdfast one = bench.holdfast();
        Holdfast other = bench.holdfast();
        AtomicInteger leading = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        BlockingQueue<Led> started = new LinkedBlockingQueue<>();
        Function<String, CriticalAction<RuntimeException>> task = who -> held -> {
            most.accumulateAndGet(leading.incrementAndGet(), Math::max);
            started.add(new Led(who, held));
            untilInterrupted();
            leading.decrementAndGet();
        };
        try (Candidacy first = candidate(one, name, "first", task);
                Candidacy second = candidate(other, name, "second", task)) {
            Led before = leads(bench, started);
            Candidacy leader = before.who().equals("first") ? first : second;
            Candidacy next = leader == first ? second : first;
            assertThat(leader.isLeader()).isTrue();
            bench.await(
                    "the store knows who leads",
                    () -> bench.guarded(() -> one.election(name).leader())
                            .filter(state -> state.holder().description().equals(before.who()))
                            .isPresent());
            // A rival that was let in beside it needs a moment to show.
            assertThat(started.poll(RIVAL_MILLIS, TimeUnit.MILLISECONDS))
                    .as("somebody who leads beside it")
                    .isNull();
            if (bench.isFair()) {
                // Whoever resigns competes again: it is the other one's turn only if that one stands in the queue.
                bench.await(
                        "the other one waits",
                        () -> bench.guarded(() -> one.election(name).leader())
                                .filter(state -> !state.waiters().isEmpty())
                                .isPresent());
            }
            Led afterwards = resignFor(bench, leader, before, started);
            assertThat(afterwards.who()).isNotEqualTo(before.who());
            assertThat(afterwards.lease().token()).isGreaterThan(before.lease().token());
            bench.await("the next one leads", next::isLeader);
            next.close();
            Led again = leads(bench, started);
            assertThat(again.who()).isEqualTo(before.who());
            assertThat(again.lease().token()).isGreaterThan(afterwards.lease().token());
            bench.await("the first one leads again", leader::isLeader);
        }
        assertThat(most).hasValue(1);
        bench.await(
                "nobody leads",
                () -> bench.guarded(() -> one.election(name).leader()).isEmpty());
    }

    private static Candidacy candidate(
            Holdfast holdfast, String name, String who, Function<String, CriticalAction<RuntimeException>> task) {
        return holdfast.election(name)
                .withLease(Bench.LONG.dividedBy(2))
                .describedAs(who)
                .start(task.apply(who));
    }

    /** Without a queue the other one has a few seconds to be first. If the machine stood still for all of them, it resigns again. */
    private static Led resignFor(Bench bench, Candidacy leader, Led before, BlockingQueue<Led> started)
            throws InterruptedException {
        Led afterwards;
        do {
            leader.resign();
            afterwards = leads(bench, started);
        } while (afterwards.who().equals(before.who()) && !bench.isFair() && bench.stoodStill());
        return afterwards;
    }

    private static Led leads(Bench bench, BlockingQueue<Led> started) throws InterruptedException {
        Led led = started.poll(bench.patience().toSeconds(), TimeUnit.SECONDS);
        assertThat(led).as("somebody who leads").isNotNull();
        return led;
    }

    private static void untilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException told) {
            // That is what it waited for.
        }
    }
}
