package dev.holdfast.jdbc;

import dev.holdfast.BackendNotice;
import dev.holdfast.jdbc.connection.ConnectionMarks;
import dev.holdfast.jdbc.connection.StatementExecutor;
import dev.holdfast.jdbc.sql.PollIntervals;
import dev.holdfast.jdbc.sql.PostgreSql;
import dev.holdfast.jdbc.sql.ServerClock;
import dev.holdfast.jdbc.wakeup.Inbox;
import dev.holdfast.jdbc.wakeup.ListeningConnection;
import dev.holdfast.jdbc.wakeup.LoopbackInbox;
import dev.holdfast.jdbc.wakeup.WakeUpSocket;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import org.jspecify.annotations.Nullable;

/** What a backend consists of once it belongs to a {@code Holdfast}: who asks, who holds, who is told, and what runs it. */
final class Components {
    private final Setup setup;
    private final Events events;
    private final @Nullable Inbox inbox;
    private final StatementExecutor executor;
    private final Acquiring acquiring;
    private final HeldLocks held;

    Components(Setup setup, Environment environment, Events events) {
        this.setup = setup;
        this.events = events;
        inbox = inbox(environment);
        // A listening connection from elsewhere would not help the pool.
        Runnable whenPoolIsShort = inbox == null || setup.listensElsewhere() ? () -> {} : inbox::makeRoom;
        executor = new StatementExecutor(
                setup.source(),
                setup.dialect(),
                setup.errors(),
                environment,
                setup.commandTimeout(),
                setup.connections(),
                whenPoolIsShort,
                setup.marks());
        BackgroundTasks tasks = new BackgroundTasks(environment, executor, setup.steps(), setup.queries());
        held = new HeldLocks(environment, events, executor, setup.source(), setup.steps(), tasks);
        acquiring = new Acquiring(
                environment,
                executor,
                setup.steps(),
                setup.version(),
                new ServerClock(PollIntervals.micros(setup.commandTimeout())),
                new Acquiring.Waiting(inbox, setup.dialect().losesNoHints(), setup.poll(), setup.pollIfTold()),
                tasks,
                held::watch);
        setup.source().whenReplaced(() -> environment.schedule(0, this::onReplaced));
    }

    private @Nullable Inbox inbox(Environment environment) {
        WakeUpSocket wakeUps = setup.wakeUps();
        if (wakeUps != null) {
            return new LoopbackInbox(wakeUps, environment, events);
        }
        ConnectionMarks marks = setup.marks();
        return setup.dialect() instanceof PostgreSql && marks != null
                ? new ListeningConnection(
                        setup.listenSource(), setup.dialect(), environment, events, setup.commandTimeout(), marks)
                : null;
    }

    /** Holders learn of it now, not at their next renewal. */
    private void onReplaced() {
        String what = setup.source().replacement();
        if (what != null) {
            events.notice(BackendNotice.danger("the store", what));
            events.recheckAll("the store was replaced");
        }
    }

    StatementExecutor executor() {
        return executor;
    }

    Acquiring acquiring() {
        return acquiring;
    }

    HeldLocks held() {
        return held;
    }

    void close() {
        if (inbox != null) {
            inbox.close();
        }
        executor.close();
    }
}
