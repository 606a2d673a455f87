package dev.holdfast.lab.stage;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.RedisServer;
import dev.holdfast.lab.stage.ServerView.Condition;
import java.io.IOException;
import java.util.List;

/** The five servers, and what can be done to them. They go by their number, from 0. For one thread at a time. */
public final class Servers {
    private static final int FAST = 50;
    private static final long CLOCK_TOLERANCE_MILLIS = 500;

    private final Machine machine;
    private final List<RedisServer> all;
    private final Links links;
    private final Board board;

    Servers(Machine machine, List<RedisServer> all, Links links, Board board) {
        this.machine = machine;
        this.all = all;
        this.links = links;
        this.board = board;
    }

    void start(int server) throws IOException, InterruptedException {
        all.get(server).start();
        links.serverStarted(server);
        board.change(() -> {
            ServerView view = board.servers.get(server);
            view.condition = Condition.UP;
            view.clockRate = 1;
            view.kept.clear();
            view.starts++;
        });
        int start = board.read(() -> board.servers.get(server).starts);
        all.get(server).onEnd(() -> board.change(() -> noteEnd(server, start)));
    }

    /** Somebody may have killed it from a shell: these are ordinary processes. */
    private void noteEnd(int server, int start) {
        ServerView view = board.servers.get(server);
        if (view.starts == start && view.condition != Condition.DOWN) {
            view.condition = Condition.DOWN;
            view.votes = false;
            view.kept.clear();
            board.log("server " + (server + 1), "fault", "has ended");
        }
    }

    public void kill(int server) throws IOException {
        note(server, Condition.DOWN, "is killed");
        all.get(server).kill();
        links.serverEnded(server);
    }

    /**
     * Starts a server again that was killed, or any other after killing it.
     *
     * @param withData with what it had written down, which may not be all that it had promised; or empty
     */
    public void revive(int server, boolean withData) throws IOException, InterruptedException {
        end(server);
        if (!withData) {
            all.get(server).forget();
        }
        start(server);
        note(server, Condition.UP, withData ? "is started again with its data" : "is started again, empty");
    }

    /** Not told: it is part of something else that is. */
    private void end(int server) throws IOException {
        board.change(() -> board.servers.get(server).condition = Condition.DOWN);
        all.get(server).kill();
    }

    public void freeze(int server) throws IOException, InterruptedException {
        // Noted first: whoever is interrupted here must not leave something frozen behind that nobody thaws.
        note(server, Condition.FROZEN, "is frozen (SIGSTOP)");
        all.get(server).freeze();
    }

    public void thaw(int server) throws IOException, InterruptedException {
        all.get(server).thaw();
        note(server, Condition.UP, "goes on");
    }

    private void note(int server, Condition condition, String what) {
        board.change(() -> {
            ServerView view = board.servers.get(server);
            view.condition = condition;
            if (condition == Condition.DOWN) {
                view.kept.clear();
                view.votes = false;
            }
            board.log("server " + (server + 1), "fault", what);
        });
    }

    /** Lets its clock run fast until it is set right. Where that cannot be had, ends its votes once. */
    public void runClockFast(int server) throws IOException {
        if (machine.clock().isUsable()) {
            all.get(server).setClockRate(FAST);
            noteClock(server, FAST, "its clock runs " + FAST + " times too fast");
        } else {
            endVotesEarly(server);
        }
    }

    /** The clock runs at the right rate again; what it has gained it keeps. */
    public void runClockRight(int server) throws IOException {
        if (machine.clock().isUsable()) {
            all.get(server).setClockRate(1);
            noteClock(server, 1, "its clock runs right again, and stays ahead by what it has gained");
        }
    }

    private void noteClock(int server, int rate, String what) {
        board.change(() -> {
            board.servers.get(server).clockRate = rate;
            board.log("server " + (server + 1), "fault", what);
        });
    }

    private void endVotesEarly(int server) throws IOException {
        String expireAll = "for _, key in ipairs(redis.call('KEYS', '*:account')) do redis.call('PEXPIRE', key, 1) end";
        Object unused = all.get(server).call("EVAL", expireAll, "0");
        board.change(() ->
                board.log("server " + (server + 1), "fault", "the lab ends its votes early, as a fast clock would"));
    }

    /** Empties those to which nothing was done, and starts all others anew. */
    void reset() throws IOException, InterruptedException {
        for (int i = 0; i < all.size(); i++) {
            ServerView view = board.servers.get(i);
            boolean whole = board.read(() -> view.condition == Condition.UP
                    && view.clockRate == 1
                    && Math.abs(view.aheadMillis) < CLOCK_TOLERANCE_MILLIS);
            if (whole) {
                Object unused = all.get(i).call("FLUSHALL");
            } else {
                end(i);
                all.get(i).forget();
                start(i);
            }
        }
    }
}
