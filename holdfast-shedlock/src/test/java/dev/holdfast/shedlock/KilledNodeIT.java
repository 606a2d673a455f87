package dev.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.redis.testing.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A node whose process is killed, during a job and after it. */
class KilledNodeIT {
    private static final Duration LONG = Duration.ofSeconds(60);
    /** Long for a lease of six seconds, short for one of thirty, which is what there is by default. */
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final RedisServer REDIS = RedisServer.embedded();

    @TempDir
    Path directory;

    private Process node;

    @AfterEach
    void end() {
        if (node != null) {
            node.destroyForcibly();
        }
    }

    @Test
    void redisFreesTheJobOfANodeThatWasKilledAfterOneLease() throws Exception {
        REDIS.call("FLUSHALL");
        theJobOfANodeThatWasKilledIsFreeAfterOneLease("redis", REDIS.url());
    }

    @Test
    void aDatabaseFreesTheJobOfANodeThatWasKilledAfterOneLease() throws Exception {
        theJobOfANodeThatWasKilledIsFreeAfterOneLease("sqlite", database());
    }

    @Test
    void zooKeeperFreesTheJobOfANodeThatWasKilledWithItsSession() throws Exception {
        InstanceSpec quick = new InstanceSpec(null, -1, -1, -1, true, -1, JobProcess.TICK_MILLIS, -1);
        try (TestingServer server = new TestingServer(quick, true)) {
            theJobOfANodeThatWasKilledIsFreeAfterOneLease("zookeeper", server.getConnectString());
        }
    }

    @Test
    void redisKeepsWhatMustBeHeldAtLeastAfterTheProcess() throws Exception {
        REDIS.call("FLUSHALL");
        whatMustBeHeldAtLeastOutlivesTheProcess("redis", REDIS.url());
    }

    @Test
    void aDatabaseKeepsWhatMustBeHeldAtLeastAfterTheProcess() throws Exception {
        whatMustBeHeldAtLeastOutlivesTheProcess("sqlite", database());
    }

    private String database() {
        return directory.resolve("locks.db").toString();
    }

    private void theJobOfANodeThatWasKilledIsFreeAfterOneLease(String store, String address) throws Exception {
        // The job holds its lock past its lease, which is renewed. Its process is killed. Another node gets the job,
        // and does not
        // wait for lockAtMostFor, which is an hour.
        start(store, address, Duration.ZERO, "held");
        try (Holdfast other = Holdfast.over(JobProcess.connect(store, address))) {
            HoldfastLockProvider provider = new HoldfastLockProvider(other).withLease(JobProcess.LEASE);
            await().during(JobProcess.LEASE.plusSeconds(1))
                    .atMost(LONG)
                    .until(() -> other.inspect("job").isPresent());
            assertThat(provider.lock(JobProcess.job(Duration.ZERO))).isEmpty();
            node.destroyForcibly().waitFor();
            await().atMost(SOON)
                    .until(() -> provider.lock(JobProcess.job(Duration.ZERO))
                            .map(KilledNodeIT::unlocked)
                            .isPresent());
        }
    }

    private static SimpleLock unlocked(SimpleLock lock) {
        lock.unlock();
        return lock;
    }

    private void whatMustBeHeldAtLeastOutlivesTheProcess(String store, String address) throws Exception {
        // The job is done at once, and its process is killed. The lock stays, for what is left of ten minutes.
        start(store, address, Duration.ofMinutes(10), "done");
        node.destroyForcibly().waitFor();
        try (Holdfast other = Holdfast.over(JobProcess.connect(store, address))) {
            assertThat(new HoldfastLockProvider(other).lock(JobProcess.job(Duration.ZERO)))
                    .isEmpty();
            assertThat(other.inspect("job").orElseThrow().remaining()).isGreaterThan(Duration.ofMinutes(5));
        }
    }

    /** Returns once the node has said this. */
    private void start(String store, String address, Duration atLeast, String said) throws Exception {
        node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JobProcess.class.getName(),
                        store,
                        address,
                        atLeast.toString(),
                        said)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(node.inputReader().readLine()).isEqualTo(said);
    }
}
