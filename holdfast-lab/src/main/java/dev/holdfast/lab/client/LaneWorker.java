package dev.holdfast.lab.client;

import dev.holdfast.StaleTokenException;
import dev.holdfast.lab.client.TestedLock.Held;
import dev.holdfast.lab.client.TestedLock.NotGrantedException;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the orders for one lock, one after the other, on a thread of its own. Orders come from one thread. Nothing is
 * checked between reading and writing: the pause that no check can exclude is what the lab is about.
 */
final class LaneWorker implements AutoCloseable {
    private static final Duration LONG_ENOUGH_TO_BE_SEEN = Duration.ofMillis(400);
    private static final long DEPOSIT = 10;
    private static final long CLOSING_SECONDS = 5;

    private final Lane lane;
    private final TestedLock lock;
    private final Account account;
    private final Reports reports;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(Daemons::thread);
    /** Written by the thread that gives the orders, and read by it. */
    private @Nullable Future<?> current;
    /** Written by the thread that carries them out; the one that reports what is left reads it. */
    private volatile @Nullable Held held;
    /** Written by the thread that gives the orders. */
    private volatile boolean guarded = true;

    private volatile boolean working;
    /** What was read last. Used by the thread that carries the orders out. */
    private long balance;

    private interface Step {
        void run() throws InterruptedException;
    }

    LaneWorker(Lane lane, TestedLock lock, Account account, Reports reports) {
        this.lane = lane;
        this.lock = lock;
        this.account = account;
        this.reports = reports;
    }

    void obey(Message order) {
        switch (order.what()) {
            case "ask" -> {
                Duration lease = Duration.ofMillis(order.number("lease"));
                submit(() -> ask(lease, order.flag("renewed"), order.flag("once")));
            }
            case "read" -> submit(this::read);
            case "write" -> submit(() -> write(order.number("deposit")));
            case "release" -> submit(this::release);
            case "guard" -> guarded = order.flag("on");
            case "work" -> {
                boolean before = working;
                working = order.flag("on");
                if (working && !before) {
                    Duration lease = Duration.ofMillis(order.number("lease"));
                    submit(() -> work(lease));
                } else if (!working) {
                    giveUp();
                }
            }
            default -> reports.tell(lane, "failed", "why", "Unknown order " + order.what());
        }
    }

    private void giveUp() {
        Held mine = held;
        if (mine == null && current != null) {
            current.cancel(true);
        }
    }

    private void submit(Step step) {
        current = thread.submit(() -> {
            try {
                step.run();
            } catch (InterruptedException givenUp) {
                reports.tell(lane, "idle");
            } catch (RuntimeException e) {
                reports.tell(lane, "failed", "why", String.valueOf(e));
            }
        });
    }

    private void ask(Duration lease, boolean renewed, boolean once) throws InterruptedException {
        reports.tell(lane, "asking");
        long begun = System.nanoTime();
        while (true) {
            try {
                Held got = lock.ask(lease, renewed, once);
                held = got;
                reports.tell(
                        lane,
                        "holding",
                        "token",
                        got.token(),
                        "votes",
                        got.votes(),
                        "lease",
                        lease.toMillis(),
                        "left",
                        got.remaining().toMillis(),
                        "waited",
                        Duration.ofNanos(System.nanoTime() - begun).toMillis());
                return;
            } catch (NotGrantedException e) {
                reports.tell(lane, e.busy ? "busy" : "unavailable", "why", String.valueOf(e.getMessage()));
                if (once) {
                    return;
                }
            }
        }
    }

    private boolean read() {
        Held mine = held;
        if (mine == null) {
            reports.tell(lane, "failed", "why", "Nothing is held that would allow a look at the account");
            return false;
        }
        boolean showToken = guarded && lane == Lane.HOLDFAST;
        try {
            balance = showToken ? account.readGuarded(lane, mine.token()) : account.read(lane);
            reports.tell(
                    lane, "read", "balance", balance, "left", mine.remaining().toMillis());
            return true;
        } catch (StaleTokenException e) {
            refused(e);
            return false;
        }
    }

    private void write(long deposit) {
        Held mine = held;
        if (mine == null) {
            reports.tell(lane, "failed", "why", "Nothing is held that would allow a write");
            return;
        }
        boolean showToken = guarded && lane == Lane.HOLDFAST;
        try {
            if (showToken) {
                account.writeGuarded(lane, balance + deposit, deposit, mine.token());
            } else {
                account.write(lane, balance + deposit, deposit, mine.token());
            }
            reports.tell(lane, "wrote", "from", balance, "to", balance + deposit, "deposit", deposit);
        } catch (StaleTokenException e) {
            refused(e);
        }
    }

    private void refused(StaleTokenException e) {
        reports.tell(
                lane,
                "refused",
                "token",
                e.presented().value(),
                "newest",
                e.newest().value(),
                "why",
                String.valueOf(e.getMessage()));
    }

    private void release() {
        Held mine = held;
        if (mine != null) {
            held = null;
            reports.tell(lane, "releasing");
            mine.release();
            reports.tell(lane, "released");
        }
    }

    /** As an application would: again and again, with some work between reading and writing. */
    private void work(Duration lease) throws InterruptedException {
        release();
        while (working) {
            ask(lease, true, false);
            try {
                if (read()) {
                    rest();
                    write(DEPOSIT);
                }
            } finally {
                release();
            }
            rest();
        }
        reports.tell(lane, "idle");
    }

    private static void rest() throws InterruptedException {
        long millis = LONG_ENOUGH_TO_BE_SEEN.toMillis();
        Thread.sleep(ThreadLocalRandom.current().nextLong(millis, 2 * millis));
    }

    void reportWhatIsLeft() {
        Held mine = held;
        if (mine != null) {
            reports.tell(lane, "left", "left", mine.remaining().toMillis());
        }
    }

    /** Gives up what is being waited for, and leaves what is held to its end. */
    @Override
    public void close() {
        working = false;
        thread.shutdownNow();
        try {
            // What it still has to tell belongs to the time before.
            boolean unused = thread.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lock.close();
    }
}
