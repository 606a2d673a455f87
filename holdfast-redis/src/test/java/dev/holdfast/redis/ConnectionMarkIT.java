package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holder;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two processes restored from one snapshot have the same memory and draw the same random numbers. */
@Timeout(240)
class ConnectionMarkIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @AfterAll
    static void stop() {
        TIMER.shutdownNow();
    }

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    /** The random numbers of the snapshot, again. */
    private static final class Clone implements Environment {
        private final RandomGenerator random = new SplittableRandom(42);

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long wallMicros() {
            return System.currentTimeMillis() * 1000;
        }

        @Override
        public Scheduled schedule(long delayNanos, Runnable task) {
            ScheduledFuture<?> planned = TIMER.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> planned.cancel(false);
        }

        @Override
        public Executor blocking() {
            return Runnable::run;
        }

        @Override
        public RandomGenerator random() {
            return random;
        }
    }

    @Test
    void twoCopiesOfOneMemoryShareNeitherOwnersNorInboxes() {
        // They used to have one channel, and the same owners in the same order: the second was told that it holds what
        // the
        // first held.
        RedisBackend one = Patient.backend(redis.url());
        RedisBackend other = Patient.backend(redis.url());
        try {
            Set<Owner> owners = new HashSet<>();
            for (RedisBackend each : List.of(one, other)) {
                each.open(new Clone(), new Reports());
                assertThat(each.connectionMark()).isNotZero();
                owners.add(Owner.random(new SplittableRandom(7), each.connectionMark()));
            }
            assertThat(owners).hasSize(2);
            await().atMost(PATIENCE)
                    .until(() -> ((List<?>) redis.call("PUBSUB", "CHANNELS", "holdfast:2:inbox:*")).size() == 2);
        } finally {
            one.close();
            other.close();
        }
    }

    @Test
    void aNewConnectionHasANewMark() {
        RedisBackend backend = Patient.backend(redis.url());
        try {
            backend.open(new Clone(), new Reports());
            long before = backend.connectionMark();
            await().atMost(PATIENCE).until(() -> ((List<?>) redis.call("PUBSUB", "CHANNELS", "*")).size() == 1);
            List<?> inboxes = (List<?>) redis.call("PUBSUB", "CHANNELS", "*");
            redis.call("CLIENT", "KILL", "TYPE", "normal");
            redis.call("CLIENT", "KILL", "TYPE", "pubsub");
            await().atMost(PATIENCE).until(() -> backend.connectionMark() != before);
            await().atMost(PATIENCE).until(() -> {
                List<?> now = (List<?>) redis.call("PUBSUB", "CHANNELS", "*");
                return now.size() == 1 && !now.equals(inboxes);
            });
            Owner owner = Owner.random(new SplittableRandom(7), backend.connectionMark());
            Claim claim = Claim.of("a", owner, PATIENCE, 1, new Holder("here", 1, ""));
            assertThat(backend.tryAcquire(claim).toCompletableFuture().join()).isNotNull();
        } finally {
            backend.close();
        }
    }
}
