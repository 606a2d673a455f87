package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Guarantees;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** At most one holder. */
interface ExclusionContract {
    @Test
    default void manyThreadsOfSeveralClientsHoldTheLockOneAtATimeWithGrowingTokens(Bench bench) throws Exception {
        // Three clients with different cohorts, four threads each, one lock. A plain counter loses no update, no two
        // holders overlap, tokens grow in the order of holding, and no wake-up is lost: whoever misses one sleeps for
        // the
        // rest of a lease that is longer than this wait.
        bench.untilShown(label -> holdOneAtATime(bench, bench.name(label + "exclusion")));
    }

    /** Returns false if somebody stood still inside for longer than its lease: then another one is right to be there, too. */
    private static boolean holdOneAtATime(Bench bench, String name) throws Exception {
        boolean woken = bench.guarantees().waking() != Guarantees.Waking.POLL;
        Duration maxWait = woken ? bench.patience() : Duration.ofSeconds(90);
        int clients = 3;
        int threads = 4;
        int rounds = 20;
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean overslept = new AtomicBoolean();
        int[] counter = new int[1];
        // Held at first, so that all of them have to wait, however few can run at a time.
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        List<Callable<Boolean>> tasks = new ArrayList<>();
        tasks.add(() -> {
            bench.await(
                    "every client waits",
                    () -> !bench.isFair() || holder.state(name).waiters().size() == clients);
            return holder.release(held);
        });
        for (int client = 0; client < clients; client++) {
            int cohort = 1 + 7 * client;
            Holdfast holdfast = bench.holdfast(builder -> builder.cohort(cohort));
            for (int thread = 0; thread < threads; thread++) {
                tasks.add(() -> {
                    boolean alone = true;
                    for (int round = 0; round < rounds; round++) {
                        try (Lease lease = holdfast.lock(name).acquire(maxWait)) {
                            alone &= inside.incrementAndGet() == 1;
                            int before = counter[0];
                            tokens.add(lease.token().value());
                            counter[0] = before + 1;
                            inside.decrementAndGet();
                            if (!lease.isValid()) {
                                overslept.set(true);
                            }
                        }
                    }
                    return alone;
                });
            }
        }
        List<Boolean> alone = bench.together(tasks);
        if (overslept.get()) {
            return false;
        }
        assertThat(alone).as("was alone inside").containsOnly(true);
        assertThat(counter[0]).isEqualTo(clients * threads * rounds);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        return true;
    }

    @Test
    default void ofManyClaimsAtOnceForAFreeLockExactlyOneIsGranted(Bench bench) throws Exception {
        // Four clients ask at the same moment, many times over.
        List<Client> clients = bench.clients(4);
        for (int round = 0; round < 25; round++) {
            String name = bench.name("free-" + round);
            raceFor(name, clients, bench);
        }
    }

    @Test
    default void ofManyClaimsAtOnceForAnExpiredLockExactlyOneIsGranted(Bench bench) throws Exception {
        // Ten locks expire. Then four clients ask for each of them at the same moment.
        List<Client> clients = bench.clients(4);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            names.add(bench.name("expired-" + i));
        }
        names.forEach(name -> clients.get(0).acquire(bench.brief(name)));
        for (String name : names) {
            bench.await(
                    "'" + name + "' expires",
                    () -> clients.get(0).describe(name).isEmpty());
            raceFor(name, clients, bench);
        }
    }

    private static void raceFor(String name, List<Client> clients, Bench bench) throws Exception {
        List<Callable<Answer>> asks = new ArrayList<>();
        for (Client client : clients) {
            Claim claim = bench.claim(name);
            asks.add(() -> client.ask(claim));
        }
        List<Answer> answers = bench.together(asks);
        assertThat(answers)
                .as("answers for '%s'", name)
                .filteredOn(Answer.Granted.class::isInstance)
                .hasSize(1);
        assertThat(answers)
                .as("answers for '%s'", name)
                .filteredOn(Answer.Busy.class::isInstance)
                .hasSize(3);
    }

    @Test
    default void aBusyAnswerNamesTheHolderAndTheTimeToAskAgain(Bench bench) {
        // One client holds, another asks.
        String name = bench.name("busy");
        Client holder = bench.client();
        Claim held = bench.describedAs(bench.claim(name), "the nightly job");
        holder.acquire(held);
        Answer.Busy busy = bench.client().busy(bench.claim(name));
        assertThat(busy.queued())
                .as("a claim that did not ask for a place in the queue")
                .isFalse();
        assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(Bench.LONG.plusSeconds(1));
        if (busy.heldBy() != null) {
            assertThat(busy.heldBy()).isEqualTo(held.holder());
        }
    }

    @Test
    default void locksOfDifferentNamesDoNotHinderEachOther(Bench bench) {
        // Two names that begin alike, two holders at the same time.
        Client first = bench.client();
        Client second = bench.client();
        first.acquire(bench.claim(bench.name("a")));
        Grant grant = second.acquire(bench.claim(bench.name("ab")));
        assertThat(grant.validUntilNanos() - bench.now()).isPositive();
    }
}
