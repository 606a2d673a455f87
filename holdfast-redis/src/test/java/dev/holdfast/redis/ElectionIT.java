package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.testing.Freeze;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.tck.OtherJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leaders in processes of their own, which lose their leadership. Ten elections at a time, and one clock for all. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ElectionIT {
    private static final int ROUNDS = "long".equals(System.getProperty("holdfast.search")) ? 10 : 1;
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final List<String> NAMES =
            IntStream.range(0, 10).mapToObj(i -> "election-" + i).toList();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private record Said(Candidate by, String what, String name, long token, long nanos) {}

    /** A time in which the threads of a process got no core. */
    private record Stall(long fromNanos, long untilNanos) {}

    /** A time in which nothing can be said to this process. */
    private record Frozen(Candidate who, long fromNanos, long untilNanos) {}

    private final List<Frozen> frozen = new ArrayList<>();

    @Test
    void theOldLeadersTaskIsToldBeforeTheNewOnesStarts() throws Exception {
        // Each round: the store is stopped past the lease; the leader is cut off from the store past the lease; the
        // leader itself is
        // stopped past the lease. In the first two, twenty leaderships change hands, and each task is told before the
        // next one starts. A
        // process that stands still, or gets no core, cannot be told: it is told as soon as it goes on.
        try (Candidate one = new Candidate();
                Candidate other = new Candidate()) {
            one.awaitReady();
            other.awaitReady();
            for (int round = 0; round < ROUNDS; round++) {
                makeLeader(one, other);
                long told = one.told();
                redis.pause();
                letPass(LEASE.plusSeconds(1));
                redis.resume();
                await("all were told", () -> one.told() >= told + NAMES.size());

                makeLeader(one, other);
                one.proxy.holdRequests();
                awaitLeader(other);
                one.proxy.letThrough();

                makeLeader(one, other);
                long from = System.nanoTime();
                Freeze.stop(one.process.pid());
                awaitLeader(other);
                long until = System.nanoTime();
                frozen.add(new Frozen(one, from, until));
                Freeze.resume(one.process.pid());
                awaitTold(one, until);
            }
            int changes =
                    check(Stream.concat(one.said.stream(), other.said.stream()).toList());
            System.out.println("measured: " + changes + " leaderships changed hands, " + frozen.size() * NAMES.size()
                    + " of them while the leader was frozen");
            assertThat(changes).isGreaterThanOrEqualTo(ROUNDS * NAMES.size() * 3);
        }
    }

    /** Of all leaderships of a name, in the order of their tokens: each was told, or ended, before the next one started. */
    private int check(List<Said> history) {
        int changes = 0;
        for (String name : NAMES) {
            List<Said> started = history.stream()
                    .filter(each -> each.name().equals(name) && each.what().equals("started"))
                    .sorted(Comparator.comparingLong(Said::token))
                    .toList();
            for (int i = 1; i < started.size(); i++) {
                Said before = started.get(i - 1);
                Said next = started.get(i);
                assertThat(next.nanos()).isGreaterThan(before.nanos());
                boolean excused = frozen.stream()
                        .anyMatch(each -> each.who() == before.by()
                                && each.fromNanos() <= next.nanos()
                                && next.nanos() <= each.untilNanos());
                if (!excused) {
                    long lateNanos = toldOf(history, before) - next.nanos();
                    assertThat(lateNanos)
                            .as("how late " + before + " was told, before " + next)
                            .isLessThan(before.by().stalledNanos(next.nanos(), lateNanos));
                }
                changes += before.by() == next.by() ? 0 : 1;
            }
        }
        return changes;
    }

    private static long toldOf(List<Said> history, Said started) {
        return history.stream()
                .filter(each -> each.what().equals("told")
                        && each.name().equals(started.name())
                        && each.token() == started.token())
                .mapToLong(Said::nanos)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    // ---- steps

    /** All elections are led by this one, and the other one waits. */
    private static void makeLeader(Candidate wanted, Candidate other) {
        long[] resigned = {0};
        await("one process leads everywhere", () -> {
            if (wanted.leadsEverywhere()) {
                return true;
            }
            // Not more often than it takes to change hands.
            if (System.nanoTime() - resigned[0] > Duration.ofSeconds(2).toNanos()) {
                resigned[0] = System.nanoTime();
                other.tell("resign");
            }
            return false;
        });
    }

    private static void awaitLeader(Candidate wanted) {
        await("the other one leads everywhere", wanted::leadsEverywhere);
    }

    private static void awaitTold(Candidate woken, long sinceNanos) {
        await(
                "the woken one was told",
                () -> woken.said.stream()
                                .filter(each -> each.what().equals("told") && each.nanos() > sinceNanos)
                                .count()
                        >= NAMES.size());
    }

    /** Time itself is what this is about. */
    private static void letPass(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waits until " + what).isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** A process that takes part, with a way to the store that can be cut. */
    private static final class Candidate implements AutoCloseable {
        final Proxy proxy = new Proxy(redis.port());
        final ConcurrentLinkedQueue<Said> said = new ConcurrentLinkedQueue<>();
        final Process process;
        private final ConcurrentLinkedQueue<Stall> stalls = new ConcurrentLinkedQueue<>();
        private volatile boolean ready;

        Candidate() throws IOException {
            List<String> arguments = new ArrayList<>(List.of(proxy.url(), Long.toString(LEASE.toMillis())));
            arguments.addAll(NAMES);
            process = OtherJvm.of(CandidateProcess.class, CandidateProcess.class, arguments)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Thread reader = new Thread(this::read, "candidate-" + process.pid());
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try (BufferedReader lines = process.inputReader()) {
                lines.lines().forEach(line -> {
                    String[] words = line.split(" ", -1);
                    if (words.length == 4) {
                        said.add(
                                new Said(this, words[0], words[1], Long.parseLong(words[2]), Long.parseLong(words[3])));
                    } else if (words[0].equals("stalled")) {
                        stalls.add(new Stall(Long.parseLong(words[1]), Long.parseLong(words[2])));
                    } else {
                        ready = true;
                    }
                });
            } catch (IOException | UncheckedIOException e) {
                // It has ended.
            }
        }

        void awaitReady() {
            await("a candidate has started", () -> ready);
        }

        /** The longest stall of this process at about that time, or zero. What it does then may be late by that. */
        long stalledNanos(long aroundNanos, long lateNanos) {
            long from = aroundNanos - TimeUnit.SECONDS.toNanos(1);
            long until = aroundNanos + Math.max(0, lateNanos);
            return stalls.stream()
                    .filter(each -> each.untilNanos() >= from && each.fromNanos() <= until)
                    .mapToLong(each -> each.untilNanos() - each.fromNanos())
                    .max()
                    .orElse(0);
        }

        long told() {
            return said.stream().filter(each -> each.what().equals("told")).count();
        }

        boolean leads(String name) {
            Said last = null;
            for (Said each : said) {
                last = each.name().equals(name) ? each : last;
            }
            return last != null && last.what().equals("started");
        }

        boolean leadsEverywhere() {
            return NAMES.stream().allMatch(this::leads);
        }

        void tell(String order) {
            try {
                BufferedWriter to = process.outputWriter();
                to.write(order + "\n");
                to.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly().onExit().join();
            proxy.close();
        }
    }
}
