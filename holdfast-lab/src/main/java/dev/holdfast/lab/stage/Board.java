package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that is known: written by those who hear from servers and clients, read by the page and by the stories. Everything in it,
 * the views included, is guarded by one lock; no I/O happens under it. Safe for use by many threads, through {@link #read},
 * {@link #change} and {@link #await}.
 */
public final class Board {
    private static final int LINES_KEPT = 60;
    private static final Set<String> REPEATED = Set.of("notice", "unavailable", "busy");
    private static final int FLIGHTS_KEPT = 120;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final long begun = System.nanoTime();
    private long version;
    private long numbers;

    public final List<ServerView> servers = new ArrayList<>();
    public final List<ClientView> clients = new ArrayList<>();
    /** By client, then by server: whether the link is whole. */
    public final List<boolean[]> links = new ArrayList<>();

    public final Map<Lane, AccountView> accounts = new EnumMap<>(Lane.class);
    public boolean guarded = true;
    private final Deque<LogLine> lines = new ArrayDeque<>();
    private final Deque<Flight> flights = new ArrayDeque<>();
    private final Set<String> noticed = new HashSet<>();

    /** Whatever the question reads is of one moment. It must not block. */
    public <T> T read(Supplier<T> question) {
        lock.lock();
        try {
            return question.get();
        } finally {
            lock.unlock();
        }
    }

    /** It must not block. */
    public void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            version++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until this is so; false if it is not so in time. */
    public boolean await(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is different from that version, at most that long, and returns the version that is there now. */
    public long awaitChange(long seen, Duration limit) throws InterruptedException {
        boolean unused = await(limit, () -> version != seen);
        return read(() -> version);
    }

    // ---- told by servers and clients

    void clientSaid(int client, Message message) {
        change(() -> {
            ClientView view = clients.get(client);
            switch (message.what()) {
                case "connected" -> view.connected = true;
                case "disconnected" -> view.connected = false;
                default -> {
                    if (message.values().containsKey("lane")) {
                        view.lane(message.lane()).hear(message);
                        write(client, message);
                    }
                }
            }
            Sentences.of(message)
                    .filter(line -> !REPEATED.contains(message.what()) || noticed.add(view.name + withoutNumbers(line)))
                    .ifPresent(line -> log("client " + view.name, line.tone(), line.text()));
        });
    }

    private void write(int client, Message message) {
        if (message.what().equals("wrote")) {
            fly(Flight.ACCOUNT, client, message.lane(), Flight.Kind.WROTE);
        } else if (message.what().equals("refused")) {
            fly(Flight.ACCOUNT, client, message.lane(), Flight.Kind.REFUSED);
        }
    }

    /** What is said again and again with other times is said once. */
    private static String withoutNumbers(Sentences.Line line) {
        return line.text().replaceAll("[0-9.]+ m?s\\b", "");
    }

    /** Under {@link #change} only. */
    void serverTold(int server, Lane lane, @Nullable Vote before, @Nullable Vote after, boolean expired) {
        if (after != null) {
            boolean same = before != null && before.owner().equals(after.owner());
            fly(server, after.client(), lane, same ? Flight.Kind.RENEWED : Flight.Kind.GIVEN);
        } else if (before != null) {
            fly(server, before.client(), lane, expired ? Flight.Kind.EXPIRED : Flight.Kind.TAKEN_BACK);
        }
    }

    private void fly(int server, int client, Lane lane, Flight.Kind kind) {
        flights.addLast(new Flight(++numbers, server, client, lane, kind));
        if (flights.size() > FLIGHTS_KEPT) {
            flights.removeFirst();
        }
    }

    // ---- for the page

    /** Under {@link #change} or {@link #read} only. */
    public List<Flight> flights() {
        return List.copyOf(flights);
    }

    /** Under {@link #change} or {@link #read} only. */
    public List<LogLine> lines() {
        return List.copyOf(lines);
    }

    /** Notes something for people. Under {@link #change} only. */
    public void log(String who, String tone, String text) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        lines.addLast(new LogLine(++numbers, millis, who, tone, text));
        if (lines.size() > LINES_KEPT) {
            lines.removeFirst();
        }
    }

    /** Forgets what clients have told and the two accounts: a new beginning. */
    void clear() {
        change(() -> {
            clients.forEach(client -> {
                client.working = false;
                for (Lane lane : Lane.values()) {
                    client.lane(lane).clear();
                }
            });
            for (Lane lane : Lane.values()) {
                accounts.put(lane, AccountView.OPENED);
            }
            flights.clear();
            noticed.clear();
        });
    }
}
