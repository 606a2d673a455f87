package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Resp;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** Asks the server of the accounts what it keeps, ten times a second. */
final class AccountWatch implements AutoCloseable {
    private static final int ANSWER_MILLIS = 2000;
    private static final long LOOK_EVERY_MILLIS = 100;

    /** In one step: balance and deposits are written together, and must be read together. */
    private static final String LOOK = """
            local key = ARGV[1]
            local guard = redis.call('KEYS', 'holdfast:guard:*' .. key .. '*')[1] or '-'
            return {
              redis.call('GET', key) or '0', redis.call('GET', key .. ':deposits') or '0', redis.call('GET', guard) or '0',
              redis.call('LRANGE', key .. ':entries', 0, -1)}
            """;

    private final int port;
    private final Board board;
    private final Thread asking;
    private volatile boolean closed;

    AccountWatch(int port, Board board) {
        this.port = port;
        this.board = board;
        asking = new Thread(this::ask, "holdfast-lab-account");
        asking.setDaemon(true);
        asking.start();
    }

    private void ask() {
        while (!closed) {
            try (Resp resp = new Resp(port, ANSWER_MILLIS)) {
                while (!closed) {
                    for (Lane lane : Lane.values()) {
                        AccountView seen = look(resp, lane);
                        board.change(() -> board.accounts.put(lane, seen));
                    }
                    Thread.sleep(LOOK_EVERY_MILLIS);
                }
            } catch (IOException notYet) {
                closed = closed || !sleep();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static boolean sleep() {
        try {
            Thread.sleep(LOOK_EVERY_MILLIS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    static AccountView look(Resp resp, Lane lane) throws IOException {
        List<?> seen = (List<?>) Objects.requireNonNull(resp.call("EVAL", LOOK, "0", lane.accountKey()));
        List<String> entries =
                ((List<?>) seen.get(3)).stream().map(String::valueOf).toList();
        long deposits = Long.parseLong(String.valueOf(seen.get(1)));
        return new AccountView(
                Long.parseLong(String.valueOf(seen.get(0))),
                AccountView.OPENING_BALANCE + deposits,
                Long.parseLong(String.valueOf(seen.get(2))),
                entries);
    }

    @Override
    public void close() {
        closed = true;
        asking.interrupt();
    }
}
