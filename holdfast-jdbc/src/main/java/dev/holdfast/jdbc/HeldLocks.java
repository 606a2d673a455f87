package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.StatementExecutor;
import dev.holdfast.jdbc.file.LostStores;
import dev.holdfast.jdbc.sql.PollIntervals;
import dev.holdfast.jdbc.sql.Steps;
import dev.holdfast.jdbc.sql.Steps.ReleaseResult;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Renews and ends what is held, also where the store is a file that is gone. Safe for use by many threads. */
final class HeldLocks {
    private final Environment environment;
    private final Events events;
    private final StatementExecutor executor;
    private final ConnectionSource source;
    private final Steps steps;
    private final BackgroundTasks tasks;

    HeldLocks(
            Environment environment,
            Events events,
            StatementExecutor executor,
            ConnectionSource source,
            Steps steps,
            BackgroundTasks tasks) {
        this.environment = environment;
        this.events = events;
        this.executor = executor;
        this.source = source;
        this.steps = steps;
        this.tasks = tasks;
    }

    CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        long[] sent = new long[1];
        CompletableFuture<Set<String>> renewed = executor.submitUrgent(connection -> {
            sent[0] = environment.nanoTime();
            return steps.renew(connection, holdings);
        });
        return LostStores.nothingIfGone(renewed, Set.of())
                .exceptionallyCompose(this::notRenewed)
                .thenApply(owners -> renewals(holdings, owners, sent[0]));
    }

    /** A file that has taken the place of ours may not even have tables. */
    private CompletableFuture<Set<String>> notRenewed(Throwable failure) {
        Throwable cause = LostStores.unwrap(failure);
        return cause instanceof RefusedException && source.replacement() != null
                ? CompletableFuture.completedFuture(Set.of())
                : CompletableFuture.failedFuture(cause);
    }

    private List<Renewal> renewals(List<Holding> holdings, Set<String> renewed, long sentNanos) {
        String replacement = source.replacement();
        List<Renewal> answers = new ArrayList<>(holdings.size());
        for (Holding holding : holdings) {
            if (renewed.contains(holding.owner().toString())) {
                answers.add(new Renewal.Renewed(Validity.until(sentNanos, holding.lease())));
                watch(sentNanos, holding.lease());
                continue;
            }
            if (replacement != null) {
                events.lost(holding.key(), holding.owner(), replacement);
            }
            answers.add(new Renewal.Gone());
        }
        return answers;
    }

    /** Something is held: whoever holds it hears within a second that its store is gone. */
    void watch(long sinceNanos, Duration lease) {
        if (source.canBeReplaced()) {
            tasks.watchStore(source, sinceNanos + lease.toNanos());
        }
    }

    CompletableFuture<Boolean> release(Holding holding) {
        return end(
                        holding.key(),
                        connection -> steps.release(
                                connection, holding.key(), holding.owner().toString(), holding.lastToken()))
                .thenCompose(result -> LostStores.confirmed(result, source.replacement()));
    }

    /** Leaves the lock taken for that long, in the care of the database. */
    CompletableFuture<Boolean> releaseLater(Holding holding, Duration keep) {
        String owner = holding.owner().toString();
        long keepMicros = PollIntervals.microsRoundedUp(keep);
        CompletableFuture<ReleaseResult> kept = executor.submitUrgent(
                connection -> steps.keep(connection, holding.key(), owner, holding.lastToken(), keepMicros));
        return LostStores.nothingIfGone(kept, ReleaseResult.NOT_FOUND).thenCompose(result -> {
            tasks.serveAfter(holding.key(), result.takenMicros());
            return LostStores.confirmed(result, source.replacement());
        });
    }

    /**
     * Takes this owner out of the queue, and ends its tenure.
     *
     * @param token of the tenure; 0 stands for any
     */
    CompletableFuture<Boolean> vacate(String name, Owner owner, long token) {
        return end(name, connection -> steps.vacate(connection, name, owner.toString(), token))
                .thenApply(ReleaseResult::released);
    }

    private CompletableFuture<ReleaseResult> end(String name, StatementExecutor.Step<ReleaseResult> step) {
        return LostStores.nothingIfGone(executor.submitUrgent(step), ReleaseResult.NOT_FOUND)
                .thenApply(result -> {
                    tasks.watchWindow(name, result.takenMicros());
                    return result;
                });
    }
}
