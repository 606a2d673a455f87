package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.demo.RedisServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The server comes up while somebody waits already: that is what --wait is for. */
@ExtendWith(Launched.Cleanup.class)
class LateServerIT {
    @TempDir
    Path directory;

    /** In the place of a server that is not up yet: hangs up on everybody, and knows when somebody has called. */
    private static final class Closed implements AutoCloseable {
        private final ServerSocket socket = atAPortThatNobodyIsLent();
        private final CountDownLatch called = new CountDownLatch(1);
        private final CountDownLatch calledOften = new CountDownLatch(20);

        Closed() {
            Thread thread = new Thread(this::hangUp);
            thread.setDaemon(true);
            thread.start();
        }

        /** Between its end and the start of the server, no other process is to take the port. */
        private static ServerSocket atAPortThatNobodyIsLent() {
            while (true) {
                try {
                    return new ServerSocket(
                            ThreadLocalRandom.current().nextInt(2_000, 5_000), 50, InetAddress.getLoopbackAddress());
                } catch (IOException taken) {
                    // Another one.
                }
            }
        }

        private void hangUp() {
            try {
                while (true) {
                    socket.accept().close();
                    called.countDown();
                    calledOften.countDown();
                }
            } catch (IOException over) {
                called.countDown();
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        void awaitCall() throws InterruptedException {
            assertThat(called.await(Launched.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }

        /** More often than any driver tries for one connection. */
        void awaitManyCallsOf(Launched run) throws IOException {
            await().atMost(Duration.ofMinutes(3)).until(() -> calledOften.getCount() == 0 || !run.isAlive());
            assertThat(calledOften.getCount()).as(run.err()).isZero();
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Launched run(String url, String wait) throws IOException {
        return Launched.holdfast(
                directory, "run", "--wait", wait, "--lease", "15s", "--at", url, "a", "--", "echo", "ran");
    }

    private static void assertRan(Launched run) throws Exception {
        assertThat(run.exitCode(Duration.ofMinutes(3))).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("ran\n");
    }

    @Test
    void redisComesUpLate() throws Exception {
        // It ended with 69 after three seconds, whatever --wait said.
        Closed closed = new Closed();
        Launched run = run("redis://127.0.0.1:" + closed.port(), "3m");
        closed.awaitCall();
        closed.close();
        try (RedisServers late = RedisServers.startAt(List.of(closed.port()))) {
            assertThat(late).isNotNull();
            assertRan(run);
        }
    }

    @Test
    void aQuorumComesUpLate() throws Exception {
        List<Closed> closed = List.of(new Closed(), new Closed(), new Closed());
        List<String> addresses =
                closed.stream().map(each -> "127.0.0.1:" + each.port()).toList();
        String url = "redlock://" + String.join(",", addresses);
        Launched run = run(url, "3m");
        for (Closed each : closed) {
            each.awaitCall();
        }
        closed.forEach(Closed::close);
        try (RedisServers late =
                RedisServers.startAt(closed.stream().map(Closed::port).toList())) {
            // Without this the servers would begin to vote after a minute. The run may be the first to write there.
            Launched init = Launched.holdfast(directory, "init", late.redlockUrl());
            assertThat(init.exitCode()).as(init.err()).isIn(0, 1);
            assertRan(run);
        }
    }

    @Test
    void zooKeeperComesUpLate() throws Exception {
        Closed closed = new Closed();
        Launched run = run("zookeeper://127.0.0.1:" + closed.port() + "/?tickTime=1s&syncLimit=2", "3m");
        closed.awaitCall();
        closed.close();
        try (TestingServer late = new TestingServer(closed.port())) {
            assertThat(late.getPort()).isEqualTo(closed.port());
            assertRan(run);
        }
    }

    @Test
    void aDatabaseThatIsDownIsAskedAgainAndAgain() throws Exception {
        // Each driver has words of its own for a server that is not there, and none of them is a refusal. That the
        // backend then finds the database is tested where there are databases (FirstConnectIT in holdfast-jdbc). All
        // three at once: from one call to the next they wait longer and longer.
        try (Closed postgresql = new Closed();
                Closed mariadb = new Closed();
                Closed mysql = new Closed()) {
            Map<Launched, Closed> runs = Map.of(
                    run("jdbc:postgresql://127.0.0.1:" + postgresql.port() + "/locks", "10m"), postgresql,
                    run("jdbc:mariadb://127.0.0.1:" + mariadb.port() + "/locks", "10m"), mariadb,
                    run("jdbc:mysql://127.0.0.1:" + mysql.port() + "/locks", "10m"), mysql);
            for (Map.Entry<Launched, Closed> each : runs.entrySet()) {
                Launched run = each.getKey();
                each.getValue().awaitManyCallsOf(run);
                run.signal("TERM");
                assertThat(run.exitCode()).as(run.err()).isEqualTo(143);
                assertThat(run.out()).isEmpty();
            }
        }
    }

    @Test
    void aWrongPasswordIsNotWaitedFor() throws Exception {
        // A refusal of one server, and of all servers of a quorum.
        try (RedisServers three = RedisServers.start(3, "--requirepass", "right")) {
            Launched one = run(three.redisUrl().replace("://", "://:wr0ng-one@"), "10m");
            Launched all = run(three.redlockUrl().replace("://", "://:wr0ng-one@"), "10m");
            assertThat(one.exitCode()).isEqualTo(69);
            assertThat(one.err()).contains("password").doesNotContain("wr0ng-one", "null");
            assertThat(all.exitCode()).isEqualTo(69);
            assertThat(all.err()).contains("password").doesNotContain("wr0ng-one", "null");
        }
    }

    @Test
    void aSignalEndsTheWaitForTheStore() throws Exception {
        // It was heard only when the attempt to connect was over.
        try (Closed closed = new Closed()) {
            Launched run = run("redis://127.0.0.1:" + closed.port(), "10m");
            closed.awaitCall();
            run.signal("TERM");
            assertThat(run.exitCode()).isEqualTo(143);
            assertThat(run.out()).isEmpty();
        }
    }
}
