package dev.holdfast.lab.client;

import dev.holdfast.lab.wire.Lane;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/**
 * The lock that the specification of Redlock describes and most libraries have: {@code SET NX PX} on each of five servers, held
 * by whoever has a majority in time, released by a script that compares. The value is random for every attempt, validity is
 * counted from before the first send, drift is taken off, a minority is given back at once. It has what can be had
 * without a token and without knowing which server has forgotten, so what goes wrong is not due to carelessness.
 */
final class PlainLock implements TestedLock {
    private static final long RETRY_AT_LEAST_MILLIS = 50;
    private static final long RETRY_AT_MOST_MILLIS = 150;

    private final String client;
    private final List<PlainNode> nodes;
    private final ExecutorService threads = Executors.newCachedThreadPool(Daemons::thread);
    private final Reports reports;
    private final SecureRandom random = new SecureRandom();

    PlainLock(String client, List<Integer> ports, Reports reports) {
        this.client = client;
        this.nodes = ports.stream().map(PlainNode::new).toList();
        this.reports = reports;
    }

    /** Leases are never renewed. */
    @Override
    public Held ask(Duration lease, boolean renewed, boolean once) throws InterruptedException, NotGrantedException {
        boolean told = false;
        while (true) {
            String value = client + ":" + HexFormat.of().formatHex(random.generateSeed(16));
            long begun = System.nanoTime();
            int votes = count(node -> node.set(Lane.plainKey(), value, lease.toMillis()));
            long drift = lease.toNanos() / 100 + Duration.ofMillis(2).toNanos();
            long end = begun + lease.toNanos() - drift;
            if (votes > nodes.size() / 2 && end - System.nanoTime() > 0) {
                return new HeldVotes(value, votes, end);
            }
            releaseEverywhere(value);
            if (once) {
                throw new NotGrantedException(true, votes + " of " + nodes.size() + " votes");
            }
            if (!told) {
                reports.tell(Lane.PLAIN, "waiting");
                told = true;
            }
            Thread.sleep(ThreadLocalRandom.current().nextLong(RETRY_AT_LEAST_MILLIS, RETRY_AT_MOST_MILLIS));
        }
    }

    /** Asks all at once and waits for each, as long as that takes. */
    private int count(Predicate<PlainNode> question) throws InterruptedException {
        List<Future<Boolean>> answers = new ArrayList<>();
        for (PlainNode node : nodes) {
            answers.add(threads.submit(() -> question.test(node)));
        }
        int yes = 0;
        for (Future<Boolean> answer : answers) {
            try {
                yes += answer.get() ? 1 : 0;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        return yes;
    }

    private void releaseEverywhere(String value) {
        boolean interrupted = false;
        while (true) {
            try {
                int unused = count(node -> node.delete(Lane.plainKey(), value));
                break;
            } catch (InterruptedException e) {
                // What is asked for is not given up half done: a vote that stays would block everybody for a lease.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        nodes.forEach(PlainNode::close);
    }

    private final class HeldVotes implements Held {
        private final String value;
        private final int votes;
        private final long end;

        HeldVotes(String value, int votes, long end) {
            this.value = value;
            this.votes = votes;
            this.end = end;
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public int votes() {
            return votes;
        }

        @Override
        public Duration remaining() {
            return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
        }

        @Override
        public void release() {
            releaseEverywhere(value);
        }
    }
}
