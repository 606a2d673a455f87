package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Guarantees;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** A lock, a semaphore and a read-write lock of one name are three different things. */
interface KindContract {
    /** What a Holdfast may call before anything is wanted. */
    Set<String> HARMLESS = Set.of("open", "close", "guarantees", "settling", "blocks", "connectionMark");

    @Test
    default void aKindThatIsNotOfferedIsRefusedBeforeAnythingIsSent(Bench bench) {
        // And one that is offered costs nothing before it is acquired.
        ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
        Holdfast holdfast = bench.holdfast(noting(sent, bench.newBackend()), bench.environment());
        for (LockKind kind : LockKind.values()) {
            String name = bench.name("a " + kind);
            if (holdfast.guarantees().offers(kind)) {
                assertThat(Kinds.handle(kind, holdfast, name).toString()).contains(name);
                assertThat(holdfast.guarantees().refusal(kind)).isEmpty();
            } else {
                Kinds.requireRefused(kind, holdfast, name);
            }
        }
        assertThat(sent).as("requests").isEmpty();
    }

    private static LockBackend noting(ConcurrentLinkedQueue<String> sent, LockBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(
                LockBackend.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (proxy, method, arguments) -> {
                    if (!HARMLESS.contains(method.getName())) {
                        sent.add(method.getName());
                    }
                    try {
                        return method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    default void oneNameIsThreeDifferentThings(Bench bench) {
        // A lock, a slot, a writer and a lock called like the slot are held at once, and end one by one.
        Client client = bench.client();
        String name = bench.name("exports");
        List<Held> held = new ArrayList<>();
        held.add(client.take(bench.claim(name + "/0")));
        held.add(client.take(bench.claim(name)));
        if (bench.guarantees().offers(LockKind.SEMAPHORE)) {
            held.add(client.take(bench.claim(LockKey.semaphore(name).encoded()).forAnyOf(1)));
        }
        if (bench.guarantees().offers(LockKind.READ_WRITE_LOCK)) {
            held.add(client.take(bench.claim(LockKey.readWriteLock(name).encoded())));
        }
        Client other = bench.client();
        while (!held.isEmpty()) {
            for (Held each : held) {
                each.requireKept();
                List<LockState> states = other.holders(each.claim().key());
                assertThat(states).hasSize(1);
                each.requireShownBy(states.get(0));
                assertThat(states.get(0).waiters()).isEmpty();
                other.busy(like(each, bench));
            }
            Held ended = held.remove(held.size() - 1);
            assertThat(ended.release()).isTrue();
            Held again = other.take(like(ended, bench));
            again.requireAbove(ended);
            assertThat(again.release()).isTrue();
        }
        assertThat(other.answerOf(other.backend.list(name, 10))).isEmpty();
    }

    private static Claim like(Held held, Bench bench) {
        Claim claim = bench.claim(held.claim().key());
        return claim.kind() == LockKind.SEMAPHORE ? claim.forAnyOf(1) : claim;
    }

    @Test
    default void aListingShowsOfEachKindWhatItsPrefixNames(Bench bench) throws Exception {
        // The keys of one kind are found by their own prefix; users find all kinds by the name, ordered by it.
        Client client = bench.client();
        Held lock = client.take(bench.claim(bench.name("listed b")));
        List<Held> held = new ArrayList<>(List.of(lock));
        if (bench.guarantees().offers(LockKind.SEMAPHORE)) {
            held.add(client.take(bench.claim(bench.semaphore("listed b")).forAnyOf(2)));
            held.add(client.take(bench.claim(bench.semaphore("listed b")).forAnyOf(2)));
            held.sort((one, other) -> Integer.compare(one.slot(), other.slot()));
        }
        if (bench.guarantees().offers(LockKind.READ_WRITE_LOCK)) {
            held.add(0, client.take(bench.claim(bench.readWriteLock("listed a")).forReading()));
        }
        List<LockState> states = bench.holdfast().list(bench.name("listed"), 10);
        assertThat(states).hasSameSizeAs(held);
        for (int i = 0; i < held.size(); i++) {
            held.get(i).requireShownBy(states.get(i));
        }
        for (Held each : held) {
            assertThat(client.answerOf(client.backend.list(each.claim().key(), 10)))
                    .as("what is listed for %s", each.claim())
                    .allMatch(state -> state.key().encoded().equals(each.claim().key()))
                    .anyMatch(each::isShownBy);
        }
        assertThat(client.answerOf(client.backend.list(bench.name("listed"), 10)))
                .as("locks")
                .singleElement()
                .satisfies(lock::requireShownBy);
        assertThat(bench.holdfast().list(bench.name("listed"), 1)).hasSize(1);
    }

    @Test
    default void openLeasesOfEveryKindAreRenewed(Bench bench) throws Exception {
        // One client holds two slots, reads twice and writes elsewhere, for longer than a lease.
        Guarantees guarantees = bench.guarantees();
        Holdfast holdfast = bench.holdfast(builder -> builder.cohort(1));
        Client observer = bench.client();
        bench.inTime(bench.lease().multipliedBy(3), duration -> {
            long began = bench.now();
            List<Lease> leases = new ArrayList<>();
            List<String> keys = new ArrayList<>();
            if (guarantees.offers(LockKind.SEMAPHORE)) {
                String name = bench.name("slots for " + duration);
                DistributedSemaphore semaphore = holdfast.semaphore(name, 3).withLease(duration);
                leases.add(semaphore.acquire(bench.patience()));
                leases.add(semaphore.acquire(bench.patience()));
                keys.add(LockKey.semaphore(name).encoded());
            }
            if (guarantees.offers(LockKind.READ_WRITE_LOCK)) {
                String read = bench.name("read for " + duration);
                String written = bench.name("written for " + duration);
                DistributedLock reading = holdfast.readWriteLock(read).read().withLease(duration);
                leases.add(reading.acquire(bench.patience()));
                leases.add(reading.acquire(bench.patience()));
                leases.add(holdfast.readWriteLock(written)
                        .write()
                        .withLease(duration)
                        .acquire(bench.patience()));
                keys.add(LockKey.readWriteLock(read).encoded());
                keys.add(LockKey.readWriteLock(written).encoded());
            }
            boolean inTime = stayHeld(bench, observer, leases, keys, began, duration);
            leases.forEach(Lease::close);
            return inTime;
        });
    }

    /** Returns false where it took so long to look that renewals may have come too late. */
    private static boolean stayHeld(
            Bench bench, Client observer, List<Lease> leases, List<String> keys, long began, Duration duration) {
        if (leases.isEmpty()) {
            return true;
        }
        List<TenureHandle> tenures = tenures(observer, keys);
        String beside = bench.name("beside them for " + duration);
        long end = bench.now() + duration.toNanos() * 4 / 3;
        for (long looked = began; looked - end < 0; ) {
            List<TenureHandle> still = tenures(observer, keys);
            boolean valid = leases.stream().allMatch(Lease::isValid);
            // Something is written as well, as by a renewal.
            assertThat(observer.release(observer.hold(bench.claim(beside)))).isTrue();
            if (bench.now() - looked > duration.toNanos() / 3) {
                return false;
            }
            looked = bench.now();
            assertThat(still).hasSize(leases.size()).isEqualTo(tenures);
            assertThat(valid).isTrue();
            bench.awaitTime(looked + duration.toNanos() / 10);
        }
        return true;
    }

    private static List<TenureHandle> tenures(Client observer, List<String> keys) {
        return keys.stream()
                .flatMap(key -> observer.holders(key).stream())
                .map(LockState::tenure)
                .toList();
    }
}
