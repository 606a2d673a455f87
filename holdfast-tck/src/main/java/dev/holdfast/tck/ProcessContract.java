package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A process that dies tells nobody. */
interface ProcessContract {
    /** A store that keeps milliseconds may round once when the lock is written and once when it is read. */
    long ROUNDING_NANOS = 2_000_000;

    @Test
    default void theLocksOfAKilledProcessAreGrantedAtTheEndOfItsLeaseAndSoonAfter(Bench bench) throws Exception {
        // A separate JVM takes locks, renews them and gets SIGKILL while others wait. The store says how long each of
        // its
        // leases has to go; no grant comes before that, and at the median it comes soon after.
        Optional<OtherProcess> other = bench.otherProcess();
        if (other.isEmpty()) {
            requireToSayThatOneProcessIsAll(bench);
            return;
        }
        List<String> names =
                List.of(bench.name("a"), bench.name("b"), bench.name("c"), bench.name("d"), bench.name("e"));
        ChildProcess child = bench.child(other.get(), bench.lease().multipliedBy(6), names);
        Holdfast holdfast = bench.holdfast();
        Client observer = bench.client();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        for (String name : names) {
            tokens.add(child.awaitHolding(name));
            waiting.add(holdfast.lock(name).acquireAsync(Duration.ofSeconds(60)));
        }
        if (bench.isFair()) {
            names.forEach(name -> bench.await(
                    "a waiter for '" + name + "'",
                    () -> !observer.state(name).waiters().isEmpty()));
        }
        child.kill();
        List<Long> late = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < names.size(); i++) {
            waiting.set(i, stamped(bench, observer, names.get(i), waiting.get(i), late));
        }
        for (int i = 0; i < names.size(); i++) {
            try (Lease lease = bench.get("the dead holder's lock", waiting.get(i))) {
                assertThat(lease.token().value()).isGreaterThan(tokens.get(i));
            }
        }
        assertThat(late)
                .as("nanoseconds after the end of the lease")
                .hasSameSizeAs(names)
                .allMatch(each -> each > -ROUNDING_NANOS);
        Collections.sort(late);
        assertThat(Duration.ofNanos(late.get(late.size() / 2)))
                .as("median delay")
                .isLessThan(bench.soon());
    }

    /** Notes how long after the end of the dead holder's lease the grant came. */
    private static CompletableFuture<Lease> stamped(
            Bench bench, Client observer, String name, CompletableFuture<Lease> waiting, List<Long> late) {
        // Asked before the answer, so the end is no earlier than this: what comes before it came too early.
        long asked = bench.now();
        LockState state = observer.state(name);
        assertThat(state.holder().pid()).isNotEqualTo(ProcessHandle.current().pid());
        long end = asked + state.remaining().toNanos();
        return waiting.thenApply(lease -> {
            late.add(bench.now() - end);
            return lease;
        });
    }

    @Test
    default void aProcessThatIsKilledWhileWaitingHoldsNobodyUpForLongerThanItsLease(Bench bench) throws Exception {
        // A separate JVM waits first and gets SIGKILL, another client waits behind it. Then the holder releases.
        Optional<OtherProcess> other = bench.otherProcess();
        if (other.isEmpty()) {
            requireToSayThatOneProcessIsAll(bench);
            return;
        }
        String name = bench.name("dead waiter");
        Holdfast holder = bench.holdfast();
        Lease held = holder.lock(name).acquire(bench.patience());
        Duration lease = bench.lease().multipliedBy(4);
        ChildProcess child = bench.child(other.get(), lease, List.of(name));
        child.awaitAsking(name);
        Client observer = bench.client();
        if (bench.isFair()) {
            bench.await(
                    "the other process waits",
                    () -> !observer.state(name).waiters().isEmpty());
        }
        child.kill();
        CompletableFuture<Lease> next = bench.holdfast().lock(name).acquireAsync(Duration.ofSeconds(60));
        long released = bench.now();
        held.close();
        bench.get("the lock that was handed to a dead process", next).close();
        assertThat(Duration.ofNanos(bench.now() - released))
                .isLessThan(lease.plus(bench.soon().multipliedBy(3)));
    }

    private static void requireToSayThatOneProcessIsAll(Bench bench) {
        Client client = bench.client();
        assertThat(client.backend.guarantees().exclusion())
                .as("what exclusion survives, for a store that no other process can reach")
                .containsPattern("(one|this|the same|a single) process");
        assertThat(client.answerOf(client.backend.diagnose()))
                .as("findings about a store that no other process can reach")
                .extracting(Finding::what)
                .anyMatch(what -> what.contains("process"));
    }
}
