package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits, and who has waited, when servers were gone for a while. */
@Timeout(400)
class RedlockOutageIT {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final Duration OUTAGE = LONG ? Duration.ofSeconds(30) : Duration.ofSeconds(3);
    private static final Duration SHORT_LIMIT = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int NAMES = 4;

    private static List<String> names() {
        return IntStream.range(0, NAMES).mapToObj(i -> "outage-" + i).toList();
    }

    /** How many claims stand in line for this name, anywhere. */
    private static long queued(Five five, String name) {
        String queue = Keys.standard().ofQuorum().queue(name);
        return five.servers.stream()
                .mapToLong(server -> (Long) server.call("LLEN", queue))
                .sum();
    }

    /** How many servers have a vote or a reservation for this name. */
    private static long votes(Five five, String name) {
        String lock = Keys.standard().ofQuorum().lock(name);
        return five.servers.stream()
                .mapToLong(server -> (Long) server.call("EXISTS", lock))
                .sum();
    }

    @Test
    void aSecondAfterAMajorityIsBackEveryNameIsFree() throws Exception {
        // Three of five stand still while a process asks for names with short limits, again and again. Each claim that
        // failed left a place at its home, for which it was told its turn when the three were back: for minutes the
        // names
        // that nobody held were busy, held by the very process that asked for them.
        try (Five five = Five.servers().start();
                Holdfast asking = Holdfast.over(Patient.connect(() -> RedlockBackend.connect(five.url())));
                Holdfast other = Holdfast.over(Patient.connect(() -> RedlockBackend.connect(five.url())))) {
            names().forEach(name -> assertThat(asked(other, name, PATIENCE)).isTrue());
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger attempts = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(NAMES);
            List<Future<?>> loops = new ArrayList<>();
            for (String name : names()) {
                loops.add(threads.submit(() -> {
                    while (!over.get()) {
                        asked(asking, name, SHORT_LIMIT);
                        attempts.incrementAndGet();
                    }
                }));
            }
            List<RedisServer> frozen = five.servers.subList(0, 3);
            frozen.forEach(RedisServer::pause);
            await().pollDelay(OUTAGE).atMost(OUTAGE.plus(PATIENCE)).until(() -> true);
            over.set(true);
            for (Future<?> loop : loops) {
                loop.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            threads.shutdown();
            frozen.forEach(RedisServer::resume);
            long back = System.nanoTime();
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            long since = System.nanoTime();
            for (String name : names()) {
                // At once, on a machine that does nothing else.
                assertThat(asked(other, name, Duration.ofSeconds(15))).as(name).isTrue();
            }
            System.out.println("search: majority outage, " + attempts + " attempts in " + OUTAGE.toSeconds()
                    + " s; a second later " + NAMES + " names in " + (System.nanoTime() - since) / 1_000_000 + " ms");
            await().atMost(PATIENCE).until(() -> names().stream().allMatch(name -> queued(five, name) == 0));
            await().atMost(PATIENCE).until(() -> names().stream().allMatch(name -> votes(five, name) == 0));
            System.out.println("search: majority outage, the last vote of nobody was gone "
                    + (System.nanoTime() - back) / 1_000_000 + " ms after the servers were back");
        }
    }

    /** Takes it and gives it back. */
    private static boolean asked(Holdfast holdfast, String name, Duration limit) {
        try {
            Lease lease = holdfast.lock(name).acquireAsync(limit).get();
            lease.close();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof HoldfastException) {
                return false;
            }
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A client that knows only some of the servers may choose another home than it will have later. */
    private static void meetAll(Five five, Holdfast holdfast) throws InterruptedException {
        try (Lease lease = holdfast.lock("warm-up").acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            await().atMost(PATIENCE).until(() -> votes(five, "warm-up") == 5);
        }
        await().atMost(PATIENCE).until(() -> votes(five, "warm-up") == 0);
    }

    private static Holdfast withLeaseOfAMinute(String url) {
        return Holdfast.builder(new MinorityContract.Clients().connect(url))
                .lease(Duration.ofMinutes(1))
                .build();
    }

    @Test
    void aReleaseThatDoesNotReachTheHomeIsFoundOutWithinAClaimWindow() throws Exception {
        // The holder loses sight of two servers, one of them the home of the queue, and lets go at the other three. The
        // waiter slept for the rest of the lease.
        String name = "out-of-sight";
        try (Five five = Five.servers().start();
                Holdfast holder = withLeaseOfAMinute(five.proxiedUrl());
                Holdfast waiter = withLeaseOfAMinute(five.url())) {
            meetAll(five, holder);
            meetAll(five, waiter);
            Lease held = holder.lock(name).acquire(PATIENCE);
            var waiting = waiter.lock(name).acquireAsync(PATIENCE);
            await().atMost(PATIENCE).until(() -> queued(five, name) >= 1);
            // The home of the queue comes first. On a busy machine it may have changed: then the earlier one is lost,
            // too.
            String queue = Keys.standard().ofQuorum().queue(name);
            List<Proxy> lost = IntStream.range(0, 5)
                    .boxed()
                    .sorted(Comparator.comparing(
                            i -> (Long) five.get(i).call("LLEN", queue), Comparator.reverseOrder()))
                    .limit(2)
                    .map(five.proxies()::get)
                    .toList();
            lost.forEach(Proxy::cut);
            long since = System.nanoTime();
            held.close();
            // A claim window is 2 s, the lease 60 s.
            waiting.get(30, TimeUnit.SECONDS).close();
            System.out.println("search: a release that did not reach the home, found out after "
                    + (System.nanoTime() - since) / 1_000_000 + " ms");
            lost.forEach(Proxy::mend);
        }
    }
}
