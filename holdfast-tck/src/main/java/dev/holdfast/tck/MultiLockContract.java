package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.MultiLease;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Several names at once. */
interface MultiLockContract {
    @Test
    default void severalNamesAreHeldTogetherOrNotAtAll(Bench bench) throws Exception {
        String a = bench.name("a");
        String b = bench.name("b");
        String c = bench.name("c");
        Holdfast one = bench.holdfast();
        Holdfast other = bench.holdfast();
        FencingToken first;
        try (MultiLease leases = one.lockAll(c, a, b).acquire(bench.patience())) {
            assertThat(leases.names()).containsExactly(a, b, c);
            first = leases.token(b);
            assertThat(other.lockAll(b).tryAcquire()).isEmpty();
        }
        try (Lease busy = other.lock(b).acquire(bench.patience())) {
            assertThat(busy.token()).isGreaterThan(first);
            assertThat(one.lockAll(a, b, c).tryAcquire()).isEmpty();
            CompletableFuture<MultiLease> waiting = one.lockAll(a, b, c).acquireAsync();
            bench.await(
                    "'a' is taken while 'b' is waited for",
                    () -> bench.guarded(() -> other.inspect(a)).isPresent());
            waiting.cancel(false);
        }
        // Whatever was taken on the way was given back.
        bench.await(
                "all are free",
                () -> bench.guarded(() -> other.list(bench.prefix(), 10)).isEmpty());
    }

    @Test
    default void setsOfNamesThatOverlapNeverDeadlock(Bench bench) throws Exception {
        // Two clients, four threads each, three names in every order; an unguarded counter for each name.
        bench.untilShown(label ->
                takeSets(bench, List.of(bench.name(label + "x"), bench.name(label + "y"), bench.name(label + "z"))));
    }

    /** Returns false if somebody stood still for longer than its lease while it counted: then another one was right to count, too. */
    private static boolean takeSets(Bench bench, List<String> names) throws Exception {
        List<Holdfast> clients = List.of(bench.holdfast(), bench.holdfast());
        int[] counters = new int[names.size()];
        AtomicInteger wanted = new AtomicInteger();
        AtomicBoolean overslept = new AtomicBoolean();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int thread = i;
            tasks.add(() -> {
                for (int round = 0; round < 6; round++) {
                    int skipped = (thread + round) % 4;
                    List<String> some = new ArrayList<>(names);
                    if (skipped < names.size()) {
                        some.remove(skipped);
                    }
                    Collections.rotate(some, thread);
                    try (MultiLease leases =
                            clients.get(thread % 2).lockAll(some).acquire(bench.patience())) {
                        for (String name : leases.names()) {
                            counters[names.indexOf(name)]++;
                            wanted.incrementAndGet();
                        }
                        if (!leases.isValid()) {
                            overslept.set(true);
                        }
                    }
                }
                return null;
            });
        }
        bench.together(tasks);
        if (overslept.get()) {
            return false;
        }
        assertThat(counters[0] + counters[1] + counters[2]).isEqualTo(wanted.get());
        return true;
    }
}
