package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The clock of this process runs on while the servers, whose clock is another one, still have the lease. */
@OnEtcd
@Timeout(300)
class LapseIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Set<Owner> lost = ConcurrentHashMap.newKeySet();

    @Test
    void anAnswerThatComesLateDoesNotProlongWhatHasLapsedHere() throws Exception {
        // A process that waits stands still for longer than its lease at the servers lasts. The keep-alive that it had
        // under
        // way is answered all the same, by servers for which no time has passed; so are those that it would send now.
        // Its
        // place is given up: for all it knows it was somebody else's turn since.
        ManualTime time = new ManualTime();
        EtcdBackend holder = EtcdBackend.connect(server.url());
        EtcdBackend waiter = EtcdBackend.connect(server.url());
        try (holder;
                waiter) {
            holder.open(new ManualTime(), new Recording());
            waiter.open(time, new Recording());
            // The clock of the holder stands still, and the servers' does not: so long is more than the test takes.
            assertThat(ask(holder, claim("lapsed", Duration.ofMinutes(10)))).isInstanceOf(Answer.Granted.class);
            Claim waiting = claim("lapsed", LEASE).queuedSince(1_000);
            assertThat(ask(waiter, waiting)).isInstanceOf(Answer.Busy.class);

            time.advance(Duration.ofMinutes(1));
            await("the loss is told").atMost(Duration.ofSeconds(60)).until(() -> {
                // Whatever is due next.
                time.advance(Duration.ofMillis(100));
                return lost.contains(waiting.owner());
            });
            await("and given back")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> holder.describe("lapsed")
                            .toCompletableFuture()
                            .get()
                            .get(0)
                            .waiters()
                            .isEmpty());
            // It enters anew, on another lease.
            assertThat(ask(waiter, claim("lapsed", LEASE).queuedSince(1_000))).isInstanceOf(Answer.Busy.class);
        }
    }

    private static Claim claim(String name, Duration lease) {
        Owner owner = Owner.random(new SecureRandom());
        return Claim.of(name, owner, lease, 1, new Holder("here", 1, ""));
    }

    private static Answer ask(EtcdBackend backend, Claim claim) throws Exception {
        return backend.tryAcquire(claim).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private final class Recording implements Events {
        @Override
        public void granted(String name, Owner owner, Grant grant) {}

        @Override
        public void maybeFree(String name) {}

        @Override
        public void lost(String name, Owner owner, String why) {
            lost.add(owner);
        }

        @Override
        public void recheckAll(String why) {}

        @Override
        public void notice(BackendNotice notice) {}
    }
}
