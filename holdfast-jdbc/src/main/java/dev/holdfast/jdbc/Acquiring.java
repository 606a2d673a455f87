package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.StatementExecutor;
import dev.holdfast.jdbc.file.LostStores;
import dev.holdfast.jdbc.sql.PollIntervals;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.ServerClock;
import dev.holdfast.jdbc.sql.Steps;
import dev.holdfast.jdbc.sql.Steps.AcquireResult;
import dev.holdfast.jdbc.sql.TableVersion;
import dev.holdfast.jdbc.wakeup.Inbox;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks the database for a lock, and turns what it found into core's answer. Safe for use by many threads. */
final class Acquiring {
    /** A clock that was misjudged is read again with each refusal; once is enough unless the server is overloaded. */
    private static final int SENDS = 3;
    /** Where no hint gets lost, a waiter asks this often all the same: to keep its place in the queue. */
    private static final Duration TOLD_RECHECK = Duration.ofSeconds(5);

    /**
     * How a claim waits.
     *
     * @param inbox where it is told that it is its turn; null where it only polls
     * @param losesNoHints whether the database itself delivers the hints, and a broken delivery is noticed
     * @param poll how often it asks
     * @param pollIfTold how often it asks if it can be told
     */
    record Waiting(@Nullable Inbox inbox, boolean losesNoHints, PollIntervals poll, PollIntervals pollIfTold) {
        String address(Claim claim) {
            return inbox == null || !claim.queue() ? "" : inbox.address();
        }

        void expectHints(String name, boolean addressed) {
            if (inbox != null) {
                inbox.waiting(name, addressed);
            }
        }

        Duration next(long heldMicros, long remainingMicros, Duration lease, int ahead, boolean told) {
            return told && losesNoHints
                    ? Duration.of(
                            Math.min(remainingMicros + 1_000, PollIntervals.micros(TOLD_RECHECK)), ChronoUnit.MICROS)
                    : (told ? pollIfTold : poll).next(heldMicros, remainingMicros, lease, ahead);
        }
    }

    /** Called when a lock is held. */
    interface Held {
        void since(long sentNanos, Duration lease);
    }

    private final Environment environment;
    private final StatementExecutor executor;
    private final Steps steps;
    private final TableVersion version;
    private final ServerClock clock;
    private final Waiting waiting;
    private final BackgroundTasks tasks;
    private final Held held;

    Acquiring(
            Environment environment,
            StatementExecutor executor,
            Steps steps,
            TableVersion version,
            ServerClock clock,
            Waiting waiting,
            BackgroundTasks tasks,
            Held held) {
        this.environment = environment;
        this.executor = executor;
        this.steps = steps;
        this.version = version;
        this.clock = clock;
        this.waiting = waiting;
        this.tasks = tasks;
        this.held = held;
    }

    CompletableFuture<Answer> ask(Claim claim) {
        return ask(claim, SENDS);
    }

    private CompletableFuture<Answer> ask(Claim claim, int sends) {
        String inbox = waiting.address(claim);
        long[] sent = new long[1];
        CompletableFuture<AcquireResult> result = executor.submit(
                connection -> {
                    if (!version.isConfirmed()) {
                        version.require(connection);
                    }
                    // Measure from before the send: the database starts the lease later than this.
                    sent[0] = environment.nanoTime();
                    return steps.acquire(connection, claim, clock.notAfterMicros(sent[0]), inbox);
                },
                connection -> {
                    sent[0] = environment.nanoTime();
                    return steps.look(connection, claim);
                });
        return LostStores.notGrantedIfGone(result).thenCompose(found -> {
            clock.sample(sent[0], found.nowMicros());
            if (claim.queue() && found.late() && found.row() != null) {
                // It will have to wait: with an address from the beginning it need not be queued twice.
                waiting.expectHints(claim.key(), true);
            }
            if (sends > 1 && (found.late() || found.row() == null)) {
                return ask(claim, sends - 1);
            }
            if (found.late()) {
                return tooLate();
            }
            tasks.sweepNowAndThen();
            if (found.queued()) {
                waiting.expectHints(claim.key(), !inbox.isEmpty());
            }
            return CompletableFuture.completedFuture(answer(claim, found, sent[0], !inbox.isEmpty()));
        });
    }

    private static <T> CompletableFuture<T> tooLate() {
        return CompletableFuture.failedFuture(new NotSentException(
                "the database came to it only after the command timeout, " + SENDS + " times in a row", null));
    }

    private Answer answer(Claim claim, AcquireResult found, long sentNanos, boolean addressed) {
        Row row = found.row();
        if (row == null) {
            return new Answer.Busy(waiting.poll().shortest(), found.queued(), null);
        }
        if (found.isGrantedTo(claim.owner().toString())) {
            held.since(sentNanos, claim.lease());
            Grant grant = Grant.full(row.token(), row.tokens(), Validity.until(sentNanos, claim.lease()));
            return new Answer.Granted(grant.ofSlot(Math.max(found.slot(), 0)));
        }
        long heldMicros = found.nowMicros() - row.grantedMicros();
        long remainingMicros = row.expiresMicros() - found.nowMicros();
        boolean told = addressed && found.queued();
        return new Answer.Busy(
                waiting.next(heldMicros, remainingMicros, claim.lease(), found.ahead(), told),
                found.queued(),
                row.holder());
    }
}
