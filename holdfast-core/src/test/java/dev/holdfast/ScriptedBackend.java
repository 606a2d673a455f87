package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A backend that answers when and what the test says. Every request waits until the test completes it. */
final class ScriptedBackend implements LockBackend {
    /** Of the connection; a test that has it reconnect sets another. */
    long mark;

    record Asked(Claim claim, CompletableFuture<Answer> answer) {
        void grant(long lastToken, long validUntilNanos) {
            answer.complete(new Answer.Granted(Grant.full(lastToken, claim.tokens(), validUntilNanos)));
        }

        void busy(Duration retryAfter, boolean queued) {
            answer.complete(new Answer.Busy(retryAfter, queued, new Holder("elsewhere", 7, "")));
        }
    }

    record Renewing(List<Holding> holdings, CompletableFuture<List<Renewal>> answer) {}

    record Releasing(Holding holding, CompletableFuture<Boolean> answer) {}

    record Withdrawing(Owner owner, CompletableFuture<Void> answer) {}

    static final Duration SETTLING = Duration.ofSeconds(3);

    final Deque<Asked> asked = new ConcurrentLinkedDeque<>();
    final Deque<Renewing> renewals = new ArrayDeque<>();
    final Deque<Releasing> releases = new ConcurrentLinkedDeque<>();
    final Deque<Releasing> releasesLater = new ArrayDeque<>();
    final Deque<Withdrawing> withdrawals = new ArrayDeque<>();
    final List<String> log = new CopyOnWriteArrayList<>();
    /** Whether releasing and claiming is one request, answered like a claim. */
    boolean claimsWhileReleasing;

    /** What a call throws, instead of answering. */
    Error renewalsThrow;

    Error claimsThrow;
    Claim lastClaim;
    /** Whether listings wait until the test completes them. */
    CompletableFuture<List<LockState>> listing = CompletableFuture.completedFuture(List.of());

    CompletableFuture<Optional<LockState>> breaking = CompletableFuture.completedFuture(Optional.empty());

    Optional<LockState> described = Optional.empty();
    Environment environment;
    Events events;

    @Override
    public void open(Environment environment, Events events) {
        this.environment = environment;
        this.events = events;
    }

    /** For questions asked by another thread. */
    Asked awaitQuestion() {
        return await(asked);
    }

    Releasing awaitRelease() {
        return await(releases);
    }

    private static <T> T await(Deque<T> queue) {
        T next;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while ((next = queue.poll()) == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("nothing came");
            }
            Thread.onSpinWait();
        }
        return next;
    }

    /** Valid for a full lease from now. */
    long full(Duration lease) {
        return Validity.until(environment.nanoTime(), lease);
    }

    @Override
    public Duration settling() {
        return SETTLING;
    }

    @Override
    public Guarantees guarantees() {
        return Guarantees.builder()
                .exclusion("nothing")
                .tokenSource("the test")
                .waking(Guarantees.Waking.HAND_OVER)
                .fair(true)
                .heldAtLeast(true)
                .build();
    }

    @Override
    public long connectionMark() {
        return mark;
    }

    @Override
    public CompletableFuture<Answer> tryAcquire(Claim claim) {
        log.add("acquire");
        if (claimsThrow != null) {
            throw claimsThrow;
        }
        lastClaim = claim;
        Asked question = new Asked(claim, new CompletableFuture<>());
        asked.add(question);
        return question.answer();
    }

    @Override
    public CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        log.add("renew");
        if (renewalsThrow != null) {
            throw renewalsThrow;
        }
        Renewing renewing = new Renewing(holdings, new CompletableFuture<>());
        renewals.add(renewing);
        return renewing.answer();
    }

    @Override
    public CompletableFuture<Boolean> release(Holding holding) {
        log.add("release");
        Releasing releasing = new Releasing(holding, new CompletableFuture<>());
        releases.add(releasing);
        return releasing.answer();
    }

    @Override
    public CompletableFuture<Boolean> releaseLater(Holding holding, Duration keep) {
        log.add("release later");
        Releasing releasing = new Releasing(holding, new CompletableFuture<>());
        releasesLater.add(releasing);
        return releasing.answer();
    }

    @Override
    public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return claimsWhileReleasing ? tryAcquire(next) : LockBackend.super.releaseAndClaim(holding, next);
    }

    @Override
    public CompletableFuture<Void> withdraw(String key, Owner owner, int slots) {
        log.add("withdraw");
        Withdrawing withdrawing = new Withdrawing(owner, new CompletableFuture<>());
        withdrawals.add(withdrawing);
        return withdrawing.answer();
    }

    @Override
    public CompletableFuture<List<LockState>> describe(String key) {
        return CompletableFuture.completedFuture(described.stream().toList());
    }

    @Override
    public CompletableFuture<List<LockState>> list(String prefix, int limit) {
        return listing;
    }

    @Override
    public CompletableFuture<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return breaking;
    }

    @Override
    public CompletableFuture<List<Finding>> diagnose() {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public void close() {
        log.add("close");
    }
}
