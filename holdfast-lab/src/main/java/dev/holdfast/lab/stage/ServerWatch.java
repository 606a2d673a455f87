package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Resp;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server what it keeps, ten times a second and whenever the server says that a lock has changed. Directly, not through
 * a link. One thread listens, one asks. What a frozen or dead server kept last stays on the board.
 */
final class ServerWatch implements AutoCloseable {
    private static final int ANSWER_MILLIS = 400;
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final long EXTENDED_BY_MILLIS = 150;

    /** In one step, so that what is seen is of one moment. The names of the keys are Holdfast's own matter: they are searched. */
    private static final String LOOK = """
            local function first(pattern) return redis.call('KEYS', pattern)[1] or '-' end
            local time = redis.call('TIME')
            local lock = first('holdfast:*quorum/*:lock:account')
            local admission = first('holdfast:*quorum/admission')
            return {
              time[1], time[2], redis.call('GET', admission) or '',
              redis.call('GET', lock) or '', redis.call('PTTL', lock),
              redis.call('GET', 'plain:account') or '', redis.call('PTTL', 'plain:account')}
            """;

    private final int number;
    private final int port;
    private final Board board;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    /** The locks whose key expired since the last look: written by the thread that listens, taken by the one that asks. */
    private final Set<Lane> expired = ConcurrentHashMap.newKeySet();

    private final Thread listening;
    private final Thread asking;
    /** Closed from outside, to end a wait for ever. Written by the thread that listens. */
    private volatile @Nullable Resp subscription;

    private volatile boolean closed;

    ServerWatch(int number, int port, Board board) {
        this.number = number;
        this.port = port;
        this.board = board;
        listening = thread(this::listen);
        asking = thread(this::ask);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "holdfast-lab-watch");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void listen() {
        while (!closed) {
            try (Resp resp = new Resp(port, 0)) {
                subscription = resp;
                resp.send("PSUBSCRIBE", "__keyspace@0__:*:lock:account", "__keyspace@0__:plain:account");
                while (!closed) {
                    hear((List<?>) Objects.requireNonNull(resp.read()));
                }
            } catch (IOException notThere) {
                pause();
            }
        }
    }

    private void hear(List<?> message) {
        if (message.size() == 4) {
            Lane lane = String.valueOf(message.get(2)).endsWith(Lane.plainKey()) ? Lane.PLAIN : Lane.HOLDFAST;
            if ("expired".equals(message.get(3))) {
                expired.add(lane);
            }
            told.add("look");
        }
    }

    private void ask() {
        while (!closed) {
            try (Resp resp = new Resp(port, ANSWER_MILLIS)) {
                while (!closed) {
                    String unused = told.poll(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                    told.clear();
                    look(resp);
                }
            } catch (IOException notThere) {
                pause();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(Resp resp) throws IOException {
        List<?> seen = (List<?>) Objects.requireNonNull(resp.call("EVAL", LOOK, "0"));
        long millis = System.currentTimeMillis();
        board.change(() -> {
            ServerView view = board.servers.get(number);
            view.aheadMillis = number(seen, 0) * 1000 + number(seen, 1) / 1000 - millis;
            admission(view, text(seen, 2));
            keep(view, Lane.HOLDFAST, quorumVote(text(seen, 3), number(seen, 4)));
            keep(view, Lane.PLAIN, plainVote(text(seen, 5), number(seen, 6)));
        });
    }

    /** {@code admitted identity maxLease …} or {@code pending identity maxLease nonce observed …}. */
    private static void admission(ServerView view, String record) {
        String[] words = record.split(" ", -1);
        view.votes = words[0].equals("admitted");
        boolean watched = words[0].equals("pending") && words.length > 4;
        view.watchForMillis = watched ? Long.parseLong(words[2]) : 0;
        view.watchedMillis = watched ? Long.parseLong(words[4]) : 0;
    }

    /** {@code owner round token tokens since lease kind notes pid …}; a token of 0 is a reservation, which is no vote. */
    private @Nullable Vote quorumVote(String value, long left) {
        String[] words = value.split(" ", -1);
        if (words.length < 9 || words[2].equals("0")) {
            return null;
        }
        return new Vote(words[0], clientWithPid(words[8]), Long.parseLong(words[2]), left);
    }

    private int clientWithPid(String pid) {
        for (int i = 0; i < board.clients.size(); i++) {
            if (Long.toString(board.clients.get(i).pid).equals(pid)) {
                return i;
            }
        }
        return -1;
    }

    /** {@code client:random}. */
    private @Nullable Vote plainVote(String value, long left) {
        if (value.isEmpty()) {
            return null;
        }
        String name = value.substring(0, value.indexOf(':'));
        for (int i = 0; i < board.clients.size(); i++) {
            if (board.clients.get(i).name.equals(name)) {
                return new Vote(value, i, 0, left);
            }
        }
        return null;
    }

    private void keep(ServerView view, Lane lane, @Nullable Vote now) {
        boolean ranOut = expired.remove(lane);
        Vote before = view.kept.get(lane);
        if (now == null) {
            view.kept.remove(lane);
        } else {
            view.kept.put(lane, now);
        }
        if (isNews(before, now)) {
            board.serverTold(number, lane, before, now, ranOut);
        }
    }

    private static boolean isNews(@Nullable Vote before, @Nullable Vote now) {
        if (before == null || now == null) {
            return before != null || now != null;
        }
        return !before.owner().equals(now.owner()) || now.leftMillis() > before.leftMillis() + EXTENDED_BY_MILLIS;
    }

    private static String text(List<?> seen, int index) {
        return String.valueOf(seen.get(index));
    }

    private static long number(List<?> seen, int index) {
        return Long.parseLong(text(seen, index));
    }

    @Override
    public void close() {
        closed = true;
        asking.interrupt();
        listening.interrupt();
        Resp open = subscription;
        if (open != null) {
            open.close();
        }
    }
}
