package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.LockUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A claim was created, and the look at the queue that follows it is refused: the claim exists, and must not be forgotten. */
@Timeout(120)
class RefusedReadIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final Server server = new Server();

    private final List<String> notices = new CopyOnWriteArrayList<>();
    private RefusingProxy proxy;
    private Neighbour onlooker;
    private Holdfast refused;
    private Holdfast other;

    @BeforeEach
    void connect() throws IOException {
        proxy = new RefusingProxy(server.testing().getPort());
        // Sessions that outlive the test: nothing may be set right by the end of one.
        refused = Holdfast.builder(Clients.of(proxy.address(), Clients.LONG).connect())
                .cohort(1)
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        notices.add(notice.toString());
                    }
                })
                .build();
        onlooker = new Neighbour(server.address());
        other = Holdfast.over(Clients.of(server.address(), Clients.LONG).connect());
    }

    @AfterEach
    void close() throws Exception {
        refused.close();
        other.close();
        onlooker.close();
        proxy.close();
    }

    @Test
    void aClaimWhoseFirstLookIsThrottledIsWithdrawnWithItsWaiter() throws Exception {
        // It used to be told as "not sent". So nobody withdrew it when its waiter left, and it kept its place in the
        // queue,
        // in front of everybody who came later, for as long as the session lived.
        requireNothingLeft("throttled", Code.THROTTLEDOP);
    }

    @Test
    void aClaimWhoseFirstLookIsForbiddenIsWithdrawn() throws Exception {
        // The same with an answer that is final.
        requireNothingLeft("forbidden", Code.NOAUTH);
    }

    private void requireNothingLeft(String name, Code code) throws Exception {
        try (Lease held = other.lock(name).acquire(SOON)) {
            assertThat(held.isValid()).isTrue();
            proxy.refuse(OpCode.multiRead, code);
            assertThatThrownBy(() -> refused.lock(name).acquire(Duration.ofSeconds(2)))
                    .isInstanceOf(LockUnavailableException.class);
            proxy.refuseNothing();
        }
        other.lock(name).acquire(SOON).close();
    }

    @Test
    void aWaiterWhoseLookIsThrottledIsServedInItsTurn() throws Exception {
        CompletableFuture<Lease> waiter;
        try (Lease held = other.lock("later").acquire(SOON)) {
            assertThat(held.isValid()).isTrue();
            proxy.refuse(OpCode.multiRead, Code.THROTTLEDOP);
            waiter = refused.lock("later").acquireAsync(SOON);
            await().atMost(SOON).until(() -> onlooker.claims("later").size() == 2);
            proxy.refuseNothing();
        }
        waiter.get().close();
    }

    @Test
    void aConfirmedReleaseIsNotToldAsUnconfirmedWhenTheNextClaimFails() throws Exception {
        // One transaction ends the tenure and stands in the queue for another thread. The look at the queue that
        // follows it
        // fails, and the release was told as unconfirmed with it.
        Lease held = refused.lock("both").acquire(SOON);
        CompletableFuture<Lease> rival = other.lock("both").acquireAsync();
        await().atMost(SOON).until(() -> onlooker.claims("both").size() == 2);
        CompletableFuture<Lease> next = refused.lock("both").acquireAsync();
        proxy.refuse(OpCode.multiRead, Code.NOAUTH);
        assertThat(held.releaseAsync()).succeedsWithin(SOON);
        assertThatThrownBy(next::get).hasCauseInstanceOf(LockUnavailableException.class);
        proxy.refuseNothing();
        rival.get().close();
        assertThat(notices).noneMatch(notice -> notice.startsWith("release"));
        other.lock("both").acquire(SOON).close();
    }
}
