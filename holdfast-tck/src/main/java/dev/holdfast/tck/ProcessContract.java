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
import java.util.stream.Stream;
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
        Holdfast holdfast = bench.holdfast();
        Client observer = bench.client();
        bench.inTime(bench.lease().multipliedBy(6), lease -> {
            List<String> names = Stream.of("a", "b", "c", "d", "e")
                    .map(label -> bench.name(label + " for " + lease))
                    .toList();
            ChildProcess child = bench.child(other.get(), lease, names);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            List<Long> tokens = new ArrayList<>();
            for (String name : names) {
                tokens.add(child.awaitHolding(name));
                waiting.add(holdfast.lock(name).acquireAsync(Duration.ofMinutes(3)));
            }
            if (bench.isFair()) {
                names.forEach(name -> bench.await("a waiter for '" + name + "'", () -> {
                    Optional<LockState> state = observer.describe(name);
                    return !isStillTheirs(state) || !state.get().waiters().isEmpty();
                }));
            }
            child.kill();
            Pace pace = new Pace(bench, observer);
            List<Long> ends = new ArrayList<>();
            List<CompletableFuture<Long>> grantedAt = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                // Asked before the answer, so the end is no earlier than this: what comes before it came too early.
                long asked = bench.now();
                Optional<LockState> state = observer.describe(names.get(i));
                if (!isStillTheirs(state)) {
                    // The child was too slow to renew: it had lost the lock before it was killed.
                    for (CompletableFuture<Lease> each : waiting) {
                        var unused = each.thenAccept(Lease::close);
                    }
                    return false;
                }
                ends.add(asked + state.get().remaining().toNanos());
                grantedAt.add(waiting.get(i).thenApply(granted -> bench.now()));
            }
            List<Long> latestEnds = new ArrayList<>(ends);
            pace.await("the dead holder's locks", lease.plus(bench.patience()), waiting, () -> {
                for (int i = 0; i < names.size(); i++) {
                    // Its last renewal may have been under way in the store when it was killed.
                    long asked = bench.now();
                    Optional<LockState> state = observer.describe(names.get(i));
                    if (isStillTheirs(state)) {
                        latestEnds.set(
                                i,
                                Math.max(
                                        latestEnds.get(i),
                                        asked + state.get().remaining().toNanos()));
                    }
                }
            });
            List<Long> early = new ArrayList<>();
            List<Long> late = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                try (Lease granted = waiting.get(i).join()) {
                    assertThat(granted.token().value()).isGreaterThan(tokens.get(i));
                }
                early.add(ends.get(i) - grantedAt.get(i).join());
                late.add(grantedAt.get(i).join() - latestEnds.get(i));
            }
            assertThat(early).as("nanoseconds before the end of the lease").allMatch(each -> each < ROUNDING_NANOS);
            Collections.sort(late);
            assertThat(Duration.ofNanos(late.get(late.size() / 2)))
                    .as("median delay")
                    .isLessThan(bench.soon().plus(pace.slowness()));
            return true;
        });
    }

    private static boolean isStillTheirs(Optional<LockState> state) {
        long ours = ProcessHandle.current().pid();
        return state.filter(held -> held.holder().pid() != ours).isPresent();
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
        CompletableFuture<Long> grantedAt = next.thenApply(granted -> bench.now());
        Pace pace = new Pace(bench, observer);
        long released = bench.now();
        held.close();
        pace.await("the lock that was handed to a dead process", bench.patience(), List.of(next), () -> {});
        next.join().close();
        assertThat(Duration.ofNanos(grantedAt.join() - released))
                .isLessThan(lease.plus(bench.soon().multipliedBy(3)).plus(pace.slowness()));
    }

    static void requireToSayThatOneProcessIsAll(Bench bench) {
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
