package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The permits of a process that dies are free after their leases. */
interface PermitProcessContract {
    /** How often ten permits lose their holders. */
    int ROUNDS = "long".equals(System.getProperty("holdfast.search")) ? 10 : 1;

    int PROCESSES = 2;
    int PERMITS_OF_EACH = 5;
    int KILLED = PROCESSES * PERMITS_OF_EACH;
    /** Held here all the time. */
    int KEPT = 2;

    int PERMITS = KILLED + KEPT;

    /** After the end of the lease, on a machine that has nothing else to do. */
    Duration SOON = Duration.ofMillis(500);

    @Test
    @Timeout(900)
    default void thePermitsOfKilledProcessesAreFreeAfterTheirLeasesNoneLostAndNoneDoubled(Bench bench)
            throws Exception {
        // Two separate JVMs take five permits each, renew them and get SIGKILL while others wait for all of them.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        Optional<OtherProcess> other = bench.otherProcess();
        if (other.isEmpty()) {
            ProcessContract.requireToSayThatOneProcessIsAll(bench);
            return;
        }
        for (int round = 1; round <= ROUNDS; round++) {
            String label = "round " + round + " for ";
            bench.inTime(
                    bench.lease().multipliedBy(6),
                    lease -> killHolders(bench, other.get(), bench.name(label + lease), lease));
        }
    }

    /** Returns false if a process was too slow to renew: then it had lost permits before it was killed. */
    private static boolean killHolders(Bench bench, OtherProcess other, String name, Duration lease) throws Exception {
        List<ChildProcess> children = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            children.add(bench.permitTaker(other, lease, name, PERMITS, PERMITS_OF_EACH));
        }
        List<Lease> kept = new ArrayList<>();
        Holdfast here = bench.holdfast();
        for (int i = 0; i < KEPT; i++) {
            kept.add(here.semaphore(name, PERMITS).acquire(Bench.AS_LONG_AS_IT_TAKES));
        }
        for (ChildProcess child : children) {
            for (int i = 0; i < PERMITS_OF_EACH; i++) {
                child.awaitHolding(Integer.toString(i));
            }
        }
        List<Holdfast> clients = List.of(bench.holdfast(), bench.holdfast());
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        List<CompletableFuture<Long>> grantedAt = new ArrayList<>();
        for (int i = 0; i < KILLED; i++) {
            CompletableFuture<Lease> each =
                    clients.get(i % 2).semaphore(name, PERMITS).acquireAsync(Duration.ofMinutes(3));
            waiting.add(each);
            grantedAt.add(each.thenApply(granted -> bench.now()));
        }
        Client observer = bench.client();
        String key = LockKey.semaphore(name).encoded();
        if (bench.isFair()) {
            bench.await("both clients wait", () -> {
                List<LockState> states = observer.holders(key);
                return states.stream().filter(DeadSlots::isTheirs).count() < KILLED
                        || states.get(0).waiters().size() == clients.size();
            });
        }
        children.forEach(ChildProcess::kill);
        Pace pace = new Pace(bench, observer);
        long asked = bench.now();
        DeadSlots dead = new DeadSlots(observer.holders(key), asked);
        boolean renewed = dead.count() == KILLED;
        if (renewed) {
            pace.await("the permits of the dead", lease.plus(bench.patience()), waiting, () -> {
                long askedAgain = bench.now();
                dead.note(observer.holders(key), askedAgain);
            });
            List<Lease> taken = waiting.stream().map(CompletableFuture::join).toList();
            dead.requireTakenOverBy(taken);
            Duration soon = bench.soon().compareTo(Duration.ofSeconds(1)) > 0 ? bench.soon() : SOON;
            for (int i = 0; i < KILLED; i++) {
                dead.requireInTime(taken.get(i), grantedAt.get(i).join(), soon.plus(pace.slowness()));
            }
            assertThat(kept).as("permits that were held here").allMatch(Lease::isValid);
        }
        kept.forEach(Lease::close);
        for (CompletableFuture<Lease> each : waiting) {
            var unused = each.thenAccept(Lease::close);
        }
        bench.await(
                "no permit is lost",
                lease.plus(bench.patience()),
                () -> observer.holders(key).isEmpty());
        return renewed;
    }
}
