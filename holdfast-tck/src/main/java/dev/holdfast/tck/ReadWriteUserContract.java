package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Guarantees;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Read-write locks as users meet them, through {@link Holdfast}. */
interface ReadWriteUserContract {
    @Test
    default void theLastReaderServesTheWriterAndThatTheReadersBehindIt(Bench bench) throws Exception {
        // Two clients read, one of them twice. A third wants to write, a fourth to read.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(bench.holdfast());
        }
        Client observer = bench.client();
        bench.handingOver(label -> {
            String name = bench.name(label + "catalog");
            String key = LockKey.readWriteLock(name).encoded();
            List<Lease> readers = List.of(
                    clients.get(0).readWriteLock(name).read().tryAcquire().orElseThrow(),
                    clients.get(0).readWriteLock(name).read().tryAcquire().orElseThrow(),
                    clients.get(1).readWriteLock(name).read().tryAcquire().orElseThrow());
            DistributedReadWriteLock third = clients.get(2).readWriteLock(name);
            assertThat(third.write().tryAcquire()).isEmpty();
            CompletableFuture<Lease> writing = third.write().acquireAsync();
            awaitWaiters(bench, observer, key, 1);
            DistributedReadWriteLock fourth = clients.get(3).readWriteLock(name);
            CompletableFuture<Lease> reading = null;
            if (bench.isFair()) {
                assertThat(fourth.read().tryAcquire()).isEmpty();
                reading = fourth.read().acquireAsync();
                awaitWaiters(bench, observer, key, 2);
            }
            for (Lease each : readers) {
                assertThat(each.isValid()).isTrue();
                assertThat(writing).isNotDone();
                each.close();
            }
            Lease writer = bench.get("the write lock", writing);
            assertThat(readers).allMatch(reader -> reader.token().compareTo(writer.token()) < 0);
            assertThat(reading == null || !reading.isDone())
                    .as("no reader beside the writer")
                    .isTrue();
            if (reading == null) {
                reading = fourth.read().acquireAsync();
            }
            assertThat(writer.isValid()).isTrue();
            writer.close();
            Lease last = bench.get("the read lock", reading);
            assertThat(last.token()).isGreaterThan(writer.token());
            last.close();
            bench.await("nobody holds it", () -> observer.holders(key).isEmpty());
        });
    }

    private static void awaitWaiters(Bench bench, Client observer, String key, int count) {
        bench.await(
                count + " wait",
                () -> !bench.isFair() || observer.state(key).waiters().size() == count);
    }

    @Test
    default void aWriterIsServedWhenTheLastReaderExpires(Bench bench) throws Exception {
        // Nobody says that the reader is gone: the writer's own timer has to find out.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String name = bench.name("silent");
        Held silent = bench.client()
                .take(bench.brief(LockKey.readWriteLock(name).encoded()).forReading());
        DistributedReadWriteLock lock = bench.holdfast().readWriteLock(name);
        assertThatThrownBy(() -> {
                    var unused = lock.read().heldAtLeast(bench.lease());
                })
                .isInstanceOf(UnsupportedOperationException.class);
        try (Lease writer = bench.get("the write lock", lock.write().acquireAsync())) {
            assertThat(bench.now() - silent.grant().validUntilNanos()).isNotNegative();
            assertThat(writer.token().value()).isGreaterThan(silent.lastToken());
        }
    }

    @Test
    default void manyThreadsOfSeveralClientsNeverReadBesideAWriter(Bench bench) throws Exception {
        // Three clients with four threads each and different cohorts; every fourth access writes.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.untilShown(label -> readAndWrite(bench, bench.name(label + "storm")));
    }

    /** Returns false if somebody stood still inside for longer than its lease: then another one is right to be there, too. */
    private static boolean readAndWrite(Bench bench, String name) throws Exception {
        boolean woken = bench.guarantees().waking() != Guarantees.Waking.POLL;
        Duration maxWait = woken ? bench.patience() : Duration.ofSeconds(90);
        ReadWriteRecord record = new ReadWriteRecord();
        AtomicBoolean overslept = new AtomicBoolean();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            int cohort = 1 + 7 * client;
            Holdfast holdfast = bench.holdfast(builder -> builder.cohort(cohort));
            for (int thread = 0; thread < 4; thread++) {
                int first = thread;
                tasks.add(() -> {
                    boolean right = true;
                    for (int round = 0; round < 8; round++) {
                        boolean writes = (first + round) % 4 == 0;
                        DistributedReadWriteLock lock = holdfast.readWriteLock(name);
                        try (Lease lease = (writes ? lock.write() : lock.read()).acquire(maxWait)) {
                            right &= writes ? record.write(lease) : record.read(lease);
                            Bench.pause();
                            if (writes) {
                                record.stopWriting();
                            } else {
                                record.stopReading();
                            }
                            if (!lease.isValid()) {
                                overslept.set(true);
                            }
                        }
                    }
                    return right;
                });
            }
        }
        List<Boolean> right = bench.together(tasks);
        if (overslept.get()) {
            return false;
        }
        assertThat(right)
                .as("no reader beside a writer, and tokens in the order of writers")
                .containsOnly(true);
        Client observer = bench.client();
        bench.await(
                "nobody is left",
                () -> observer.holders(LockKey.readWriteLock(name).encoded()).isEmpty());
        return true;
    }
}
