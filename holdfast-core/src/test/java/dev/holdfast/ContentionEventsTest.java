package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a listener needs to count contention: who waited, and how each wait ended. */
class ContentionEventsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final List<String> heard = new ArrayList<>();
    private final Holdfast holdfast = open(backend, new LockListener() {
        @Override
        public void waiting(LockKey lock) {
            heard.add("waiting " + lock.name());
        }

        @Override
        public void acquired(LockKey lock, FencingToken token, Duration waited) {
            heard.add("acquired " + lock.name() + " after " + waited.toMillis());
        }

        @Override
        public void gaveUp(LockKey lock, Duration waited) {
            heard.add("gave up " + lock.name() + " after " + waited.toMillis());
        }

        @Override
        public void refused(LockKey lock) {
            heard.add("refused " + lock.name());
        }

        @Override
        public void unavailable(LockKey lock, Duration waited, Throwable cause) {
            heard.add("unavailable " + lock.name() + " after " + waited.toMillis() + ": " + cause.getMessage());
        }

        @Override
        public void renewed(LockKey lock, FencingToken token) {
            heard.add("renewed " + lock.name() + " " + token);
        }

        @Override
        public void renewalFailed(LockKey lock, FencingToken token, Throwable cause) {
            heard.add("renewal failed " + lock.name() + " " + token);
        }
    });
    private final Holdfast rival = open(backend.another(), new LockListener() {});

    private Holdfast open(InMemoryBackend client, LockListener listener) {
        return Holdfast.builder(client)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .listener(listener)
                .build();
    }

    @Test
    void whoIsServedAtOnceIsNotToldAsWaiting() {
        acquired(holdfast).close();
        assertThat(heard).containsExactly("acquired a after 0");
    }

    @Test
    void aWaiterBehindAnotherProcessIsToldOnceAndThenAsServed() {
        Lease theirs = acquired(rival);
        CompletableFuture<Lease> ours = holdfast.lock("a").acquireAsync();
        time.advance(SECOND);
        theirs.close();
        ours.join().close();
        assertThat(heard).containsExactly("waiting a", "acquired a after 1000");
    }

    @Test
    void aWaiterBehindItsOwnProcessIsToldToo() {
        // Nothing is asked of the store: without an event nobody could count this.
        Lease first = acquired(holdfast);
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        first.close();
        second.join().close();
        assertThat(heard).containsExactly("acquired a after 0", "waiting a", "acquired a after 0");
    }

    @Test
    void aLimitThatIsReachedAndACancelledWaitAreToldAsGivenUp() {
        acquired(rival);
        holdfast.lock("a").acquireAsync(SECOND);
        time.advance(SECOND);
        CompletableFuture<Lease> cancelled = holdfast.lock("a").acquireAsync(SECOND.multipliedBy(9));
        time.advance(SECOND);
        cancelled.cancel(false);
        assertThat(heard).containsExactly("waiting a", "gave up a after 1000", "waiting a", "gave up a after 1000");
    }

    @Test
    void whoAskedOnceIsToldAsRefused() throws Exception {
        acquired(rival);
        assertThat(holdfast.lock("a").tryAcquire()).isEqualTo(Optional.empty());
        assertThat(heard).containsExactly("refused a");
    }

    @Test
    void aStoreThatCannotBeReachedIsTold() {
        backend.controls().disconnect();
        holdfast.lock("a").acquireAsync(SECOND);
        time.advance(SECOND);
        assertThat(heard)
                .hasSize(1)
                .first()
                .asString()
                .startsWith("unavailable a after 1000: ")
                .contains("disconnected");
    }

    @Test
    void aRenewalIsToldWithTheTokenOfTheLeaseInUse() {
        Lease held = acquired(holdfast);
        time.advance(Duration.ofSeconds(11));
        assertThat(heard).containsExactly("acquired a after 0", "renewed a " + held.token());
    }

    @Test
    void activityCountsOpenLeasesAndWaitingCallers() {
        assertThat(holdfast.activity()).isEqualTo(new Activity(0, 0));
        Lease theirs = acquired(rival);
        CompletableFuture<Lease> first = holdfast.lock("a").acquireAsync();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        Lease other = holdfast.lock("b").acquireAsync().join();
        assertThat(holdfast.activity()).isEqualTo(new Activity(1, 2));
        theirs.close();
        assertThat(holdfast.activity()).isEqualTo(new Activity(2, 1));
        first.join().close();
        second.join().close();
        other.close();
        assertThat(holdfast.activity()).isEqualTo(new Activity(0, 0));
    }

    @Test
    void aFailedRenewalNamesTheTokenOfTheLeaseInUse() {
        // It named the last token of the block, which no lease may ever have had.
        Lease first = acquired(holdfast);
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();
        first.close();
        Lease lease = second.join();
        backend.controls().disconnect();
        time.advance(Duration.ofSeconds(11));
        assertThat(lease.token().value()).isEqualTo(first.token().value() + 1);
        assertThat(heard).contains("renewal failed a " + lease.token());
        assertThat(heard).doesNotContain("renewal failed a 16");
    }

    private static Lease acquired(Holdfast by) {
        return by.lock("a").acquireAsync().join();
    }
}
