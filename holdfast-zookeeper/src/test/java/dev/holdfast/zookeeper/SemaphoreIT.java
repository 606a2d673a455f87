package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.Loss;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is particular to slots here: their nodes, lost answers, who is woken, and somebody else among the nodes. */
@Timeout(240)
class SemaphoreIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** Renewed every third of it, which a busy machine may delay. */
    private static final Duration BRIEF = Duration.ofSeconds(9);

    private final Neighbour neighbour = new Neighbour(server.address());
    private final List<Holdfast> opened = new ArrayList<>();

    private Holdfast client(String address) {
        Holdfast client = Holdfast.over(Clients.of(address, Clients.LONG).connect());
        opened.add(client);
        return client;
    }

    private Holdfast client() {
        return client(server.address());
    }

    @AfterEach
    void close() {
        opened.forEach(Holdfast::close);
        neighbour.close();
    }

    private static String key(String name) {
        return LockKey.semaphore(name).encoded();
    }

    @Test
    void aSlotIsANodeWithItsNumberAndItsOwnerAndThoseWhoWaitStandElsewhere() throws Exception {
        Lease held = client().semaphore("nodes", 2).acquire(PATIENCE);
        assertThat(neighbour.slots(key("nodes")))
                .singleElement()
                .asString()
                .matches("/holdfast/2/[0-9A-F]{2}/nodes\\.slots/0-[A-Za-z0-9_-]{22}-[0-9]{10}");
        CompletableFuture<Lease> waiting = waitFor(client(), "nodes", 1, 1);
        assertThat(neighbour.claims(key("nodes")))
                .singleElement()
                .asString()
                .matches("/holdfast/2/[0-9A-F]{2}/nodes\\.semaphore/[A-Za-z0-9_-]{22}-s1-[0-9]{10}");
        held.close();
        try (Lease next = waiting.get(40, TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(held.token());
        }
        assertThat(neighbour.claims(key("nodes"))).isEmpty();
        assertThat(neighbour.slots(key("nodes"))).isEmpty();
    }

    @Test
    void aWaiterWhoseAnswerIsLostHasTheSlotThatItTookAndNoOther() throws Exception {
        // One request takes the slot and leaves the queue. It is carried out, and the connection breaks before the
        // answer.
        try (RefusingProxy proxy = new RefusingProxy(server.testing().getPort())) {
            Holdfast holder = client();
            List<Lease> held = List.of(
                    holder.semaphore("lost", 2).acquire(PATIENCE),
                    holder.semaphore("lost", 2).acquire(PATIENCE));
            Holdfast waiter = client(proxy.address());
            CompletableFuture<Lease> waiting = waitFor(waiter, "lost", 2, 1);
            proxy.loseAnswerTo("lost.slots/");
            held.get(1).close();
            Lease got = waiting.get(40, TimeUnit.SECONDS);
            assertThat(proxy.hasLostAnswer()).isTrue();
            held.get(0).close();
            assertThat(holder.inspect(LockKey.semaphore("lost")))
                    .singleElement()
                    .satisfies(state -> assertThat(state.slot()).isEqualTo(got.slot()));
            assertThat(neighbour.slots(key("lost"))).hasSize(1);
            got.close();
            await("nothing is left behind")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.slots(key("lost")).isEmpty()
                            && neighbour.claims(key("lost")).isEmpty());
        }
    }

    @Test
    void aFirstClaimWhoseAnswerIsLostLeavesNothingBehind() throws Exception {
        // It does not stand in the queue, so nothing but its owner tells that the slot is its own.
        try (RefusingProxy proxy = new RefusingProxy(server.testing().getPort())) {
            Holdfast client = client(proxy.address());
            client.semaphore("first", 3).acquire(PATIENCE).close();
            proxy.loseAnswerTo("first.slots/");
            try (Lease got = client.semaphore("first", 3).acquire(PATIENCE)) {
                assertThat(proxy.hasLostAnswer()).isTrue();
                await("one slot is taken, its own")
                        .atMost(PATIENCE)
                        .until(() -> neighbour.slots(key("first")).size() == 1);
                assertThat(client.inspect(LockKey.semaphore("first")))
                        .singleElement()
                        .satisfies(state -> assertThat(state.slot()).isEqualTo(got.slot()));
            }
            await("no slot is taken")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.slots(key("first")).isEmpty());
        }
    }

    @Test
    void aSlotIsNotTakenByAViewThatIsOld() throws Exception {
        // Twice by one view: as if a request that was believed lost arrived after its repetition, or after a rival's.
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        opened.add(Holdfast.over(backend));
        opened.get(0).semaphore("old", 2).acquire(PATIENCE).close();
        Session session = backend.session();
        Slots slots = slots(backend);
        SemaphoreView view = slots.look(session, key("old")).get();
        Claim claim = claim("old");
        Slots.Taken taken = slots.take(session, claim, 0, view, null).get();
        assertThat(taken.proven()).isTrue();
        assertThat(slots.take(session, claim, 1, view, null))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .matches(failure -> Slots.isOutrun(failure.getCause()));
        assertThat(neighbour.slots(key("old"))).containsExactly(taken.node().path());
    }

    @Test
    void aViewOfNodesThatWereRemovedProvesNothingAndTheOlderNodeHoldsTheSlot() throws Exception {
        // A server removes what is unused, and the versions begin anew: the view seems to be up to date, and slot 0
        // free.
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        opened.add(Holdfast.over(backend));
        opened.get(0).semaphore("anew", 2).acquire(PATIENCE).close();
        Session session = backend.session();
        Slots slots = slots(backend);
        SemaphoreView view = slots.look(session, key("anew")).get();
        assertThat(view.taken()).isEmpty();
        neighbour.delete(backend.settings.paths().slots(key("anew")));
        Lease held = client().semaphore("anew", 2).acquire(PATIENCE);
        Claim claim = claim("anew");
        Slots.Taken taken = slots.take(session, claim, held.slot(), view, null).get();
        assertThat(taken.proven()).isFalse();
        SemaphoreView now = slots.look(session, key("anew")).get();
        assertThat(slots.held(
                        session, key("anew"), now, now.takenBy(claim.owner()).orElseThrow()))
                .succeedsWithin(PATIENCE)
                .isEqualTo(Optional.empty());
        assertThat(opened.get(0).inspect(LockKey.semaphore("anew")))
                .singleElement()
                .satisfies(state -> assertThat(state.tokens().last()).isGreaterThanOrEqualTo(held.token()))
                .satisfies(
                        state -> assertThat(state.tenure().isOf(claim.owner())).isFalse());
        held.close();
    }

    private static Slots slots(ZooKeeperBackend backend) {
        NewNodeAcl acl = new NewNodeAcl(backend.settings.acl());
        Paths paths = backend.settings.paths();
        return new Slots(paths, acl, new ClaimCreator(paths, acl));
    }

    private static Claim claim(String name) {
        Owner owner = Owner.random(ThreadLocalRandom.current());
        return Claim.of(key(name), owner, BRIEF, 1, new Holder("host", 1, "by hand"))
                .forAnyOf(2);
    }

    @Test
    void aSlotThatBecomesFreeWakesOneWaiterAndItsSuccessor() throws Exception {
        // Twelve wait. If all of them looked, a hand-over would be a dozen requests and more.
        int waiters = 12;
        Lease held = client().semaphore("herd", 1).acquire(PATIENCE);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            waiting.add(waitFor(client(), "herd", 1, i + 1));
        }
        double requests = Double.MAX_VALUE;
        for (CompletableFuture<Lease> next : waiting.subList(0, 6)) {
            long before = server.received();
            long began = System.nanoTime();
            held.close();
            held = next.get(40, TimeUnit.SECONDS);
            // Everybody beats and looks by the clock as well: three requests in two seconds, and on a busy machine
            // more.
            double byTheClock = 2.0 * (waiters + 1) * (System.nanoTime() - began) / 1e9;
            requests = Math.min(requests, server.received() - before - byTheClock);
        }
        // Release, list, take; its successor's list and watch may be among them.
        assertThat(requests).isLessThan(11);
        held.close();
        for (CompletableFuture<Lease> next : waiting.subList(6, waiters)) {
            next.get(40, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aSlotWhoseNodeWasRemovedIsLostAndItsReleaseTouchesNobodyElse() throws Exception {
        Holdfast holder = client();
        Lease held = holder.semaphore("removed", 1).withLease(BRIEF).acquire(PATIENCE);
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        CompletableFuture<Lease> waiting = waitFor(client(), "removed", 1, 1);
        neighbour.rewrite(neighbour.slots(key("removed")).get(0));
        assertThat(waiting).isNotDone();
        neighbour.delete(neighbour.slots(key("removed")).get(0));
        Lease next = waiting.get(40, TimeUnit.SECONDS);
        assertThat(told.get(40, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
        held.close();
        assertThat(neighbour.slots(key("removed"))).hasSize(1);
        assertThat(next.isValid()).isTrue();
        next.close();
    }

    @Test
    void aForgedSlotIsShownAndBrokenAndOtherNodesAreNoSlots() throws Exception {
        Holdfast client = client();
        client.semaphore("forged", 1).acquire(PATIENCE).close();
        String slots = Paths.below("/holdfast").slots(key("forged"));
        for (String child : List.of("junk", "0-" + "A".repeat(22) + "-0000000000")) {
            neighbour.curator().create().creatingParentContainersIfNeeded().forPath(slots + "/" + child);
        }
        assertThat(client.semaphore("forged", 1).tryAcquire()).isEmpty();
        List<LockState> shown = client.inspect(LockKey.semaphore("forged"));
        assertThat(shown)
                .singleElement()
                .satisfies(state -> assertThat(state.holder().description()).contains("cannot be read"));
        assertThat(client.breakLock(shown.get(0))).isPresent();
        client.semaphore("forged", 1).acquire(PATIENCE).close();
    }

    private CompletableFuture<Lease> waitFor(Holdfast client, String name, int permits, int waiters) {
        CompletableFuture<Lease> waiting = client.semaphore(name, permits).acquireAsync(Duration.ofMinutes(2));
        await("it waits")
                .atMost(PATIENCE)
                .until(() -> waiting.isDone() || neighbour.claims(key(name)).size() == waiters);
        return waiting;
    }
}
