package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A client without a core: it asks when it is told to, and counts how often it was told. */
final class BareClient implements Events, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final ShiftedClock environment = new ShiftedClock(Duration.ZERO);
    final JdbcBackend backend;
    final AtomicInteger told = new AtomicInteger();
    final Claim claim;
    private volatile boolean hintsMayBeLost;

    BareClient(JdbcBackend backend, String name) {
        this.backend = backend;
        backend.open(environment, this);
        claim = Claim.of(
                        name,
                        Owner.random(environment.random()),
                        Duration.ofSeconds(60),
                        1,
                        new Holder("host", 1, "client"))
                .queuedSince(environment.wallMicros());
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    Answer ask() throws Exception {
        return get(backend.tryAcquire(claim));
    }

    /** A claim that was queued before there was an address is told to ask once more. */
    void queue() throws Exception {
        Answer.Busy busy = (Answer.Busy) ask();
        if (told.getAndSet(0) > 0) {
            busy = (Answer.Busy) ask();
        }
        assertThat(busy.queued()).isTrue();
    }

    Holding hold() throws Exception {
        return holding(((Answer.Granted) ask()).grant());
    }

    Holding holding(Grant grant) {
        return new Holding(claim.key(), claim.owner(), grant.lastToken(), claim.lease());
    }

    void release(Answer granted) throws Exception {
        assertThat(get(backend.release(holding(((Answer.Granted) granted).grant()))))
                .isTrue();
    }

    /** A client whose connection for hints failed is told that instead, and asks as well. */
    void awaitHint() {
        Awaitility.await().atMost(PATIENCE).until(() -> told.get() > 0 || hintsMayBeLost);
    }

    @Override
    public void maybeFree(String name) {
        assertThat(name).isEqualTo(claim.key());
        told.incrementAndGet();
    }

    @Override
    public void granted(String name, Owner owner, Grant grant) {}

    @Override
    public void lost(String name, Owner owner, String why) {}

    @Override
    public void recheckAll(String why) {
        hintsMayBeLost = true;
    }

    @Override
    public void notice(BackendNotice notice) {}

    @Override
    public void close() {
        backend.close();
        environment.close();
    }
}
