package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Loss;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody else writes to, removes and puts nodes among the claims for a lock, while one client holds it. */
@Timeout(240)
class NeighbourIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    /** Renewed every third of it, which a busy machine may delay. */
    private static final Duration BRIEF = Duration.ofSeconds(9);

    private final Neighbour neighbour = new Neighbour(server.address());
    private final Holdfast holder =
            Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
    private final Holdfast rival =
            Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());

    @AfterEach
    void close() {
        rival.close();
        holder.close();
        neighbour.close();
    }

    @Test
    void aClaimThatIsRewrittenHasNotBeenGivenBack() throws Exception {
        // The waiter used to take any write to the node in front for the word of its holder, and was granted the lock
        // while the holder's lease went on.
        Lease held = holder.lock("rewritten").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = waitFor("rewritten");
        CompletableFuture<Boolean> overlap = waiting.thenApply(granted -> held.isValid());
        for (int i = 0; i < 5; i++) {
            neighbour.rewrite(neighbour.claims("rewritten").get(0));
            // The answer comes behind whatever the rival is told of that write.
            rival.lock("another").acquire(PATIENCE).close();
        }
        await("the rival goes on waiting")
                .during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> !waiting.isDone());
        FencingToken token = held.token();
        held.close();
        assertThat(overlap.get(40, TimeUnit.SECONDS)).isFalse();
        assertThat(waiting.join().token()).isGreaterThan(token);
        waiting.join().close();
    }

    @Test
    void aWaiterWhoseClaimIsRewrittenIsServedInItsTurn() throws Exception {
        // What a claim says about itself is for people; nobody depends on it.
        Lease held = holder.lock("scribbled").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = waitFor("scribbled");
        for (String claim : neighbour.claims("scribbled")) {
            neighbour.rewrite(claim);
        }
        try (Holdfast third =
                Holdfast.over(Clients.of(server.address(), Clients.LONG).connect())) {
            CompletableFuture<Lease> last = third.lock("scribbled").acquireAsync(PATIENCE);
            await("three in the queue")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.claims("scribbled").size() == 3);
            held.close();
            waiting.get(40, TimeUnit.SECONDS).close();
            last.get(40, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void aForgedClaimInFrontEndsTheLeaseWithTheNextRenewal() throws Exception {
        // Renewal used to prove only that the holder's own node was there. Whoever came later stood behind the forged
        // claim and could be granted the lock with its removal.
        // Not the first number: the server begins anew with a name that nobody has used for a moment.
        Lease first = rival.lock("forged").acquire(PATIENCE);
        CompletableFuture<Lease> second = holder.lock("forged").withLease(BRIEF).acquireAsync(PATIENCE);
        await("the holder waits")
                .atMost(PATIENCE)
                .until(() -> neighbour.claims("forged").size() == 2);
        first.close();
        Lease held = second.get(40, TimeUnit.SECONDS);
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        String forged = neighbour.forge("forged", 0);
        assertThat(told.get(40, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
        // Nothing of ours is left behind in the queue.
        await("only the forged claim")
                .atMost(PATIENCE)
                .until(() -> neighbour.claims("forged").equals(List.of(forged)));
        neighbour.delete(forged);
        holder.lock("forged").acquire(PATIENCE).close();
    }

    @Test
    void aClaimThatWasReplacedByAnotherNodeEndsTheLeaseWithTheNextRenewal() throws Exception {
        // The same path, but another node: it does not go with the holder's session. Renewal used to take it for ours.
        Lease held = brief(holder, "replaced");
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        assertThat(neighbour.replace(neighbour.claims("replaced").get(0))).isTrue();
        assertThat(told.get(40, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
        // A node that bears the name of our claim is ours to remove. Left there, it would block the lock for ever.
        rival.lock("replaced").acquire(PATIENCE).close();
    }

    @Test
    void renewalGoesOnWhileOthersComeAndGoBehindTheHolder() throws Exception {
        // Every arrival and departure changes the queue, and none of them is in front.
        Lease held = brief(holder, "queued behind");
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Lease> waiting = waitFor("queued behind");
            long ends = endOf(held);
            await("renewed").atMost(PATIENCE).until(() -> endOf(held) - ends > 500_000_000L);
            waiting.cancel(true);
            await("withdrawn")
                    .atMost(PATIENCE)
                    .until(() -> neighbour.claims("queued behind").size() == 1);
        }
        assertThat(held.isValid()).isTrue();
        held.close();
    }

    private CompletableFuture<Lease> waitFor(String name) {
        CompletableFuture<Lease> waiting = rival.lock(name).acquireAsync(Duration.ofMinutes(1));
        await("the rival waits")
                .atMost(PATIENCE)
                .until(() -> neighbour.claims(name).size() == 2);
        return waiting;
    }

    private static long endOf(Lease lease) {
        return System.nanoTime() + lease.remaining().toNanos();
    }

    private static Lease brief(Holdfast holdfast, String name) throws InterruptedException {
        return holdfast.lock(name).withLease(BRIEF).acquire(PATIENCE);
    }
}
