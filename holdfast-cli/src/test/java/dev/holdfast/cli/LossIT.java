package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The lease is lost in the middle of the child. Most of the time is spent waiting for leases to end. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(Launched.Cleanup.class)
class LossIT {
    /** Of its last sixth, four seconds, the child hears of TERM and does what it has to, on a machine that stalls. */
    private static final String LONG = "24s";
    /** Renewed every four seconds. One that is broken is noticed then, and one that is not survives a stall. */
    private static final String MEDIUM = "12s";
    /** For those who are not asked, or do not listen. */
    private static final String SHORT = "6s";

    @TempDir
    Path directory;

    private Launched holdfast(String command, String... arguments) throws Exception {
        String[] all = new String[arguments.length + 3];
        all[0] = command;
        all[1] = "--at";
        all[2] = "sqlite:" + directory.resolve("locks.db");
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return Launched.holdfast(directory, all);
    }

    /** Nobody can write to the file from here on, so nobody can renew. */
    private Connection hang() throws Exception {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db"));
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 60000");
            statement.execute("BEGIN EXCLUSIVE");
        }
        return connection;
    }

    @Test
    void aChildIsAskedToEndWhileThereIsTimeLeft() throws Exception {
        // The store stops answering. TERM comes while the lease is valid, and the child needs a moment to tidy up.
        Launched run = holdfast(
                        "run",
                        "--lease",
                        LONG,
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap 'sleep 0.3; echo tidied up; exit 0' TERM; echo ready; while :; do sleep 0.1; done")
                .untilOut("ready");
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        }
        assertThat(run.out()).isEqualTo("ready\ntidied up\n");
        assertThat(run.err()).contains("about to be lost", "The command ended with 0");
    }

    @Test
    void aChildThatIgnoresTermIsKilledWithAllItsFamily() throws Exception {
        // Child and grandchild ignore TERM. When the validity is over, neither of them runs any more.
        Path pids = directory.resolve("pids");
        Launched run = holdfast(
                        "run",
                        "--lease",
                        SHORT,
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap '' TERM; sh -c 'echo $$ >> " + pids + "; while :; do sleep 0.1; done' & echo $$ >> "
                                + pids + "; echo ready; while :; do sleep 0.1; done")
                .untilOut("ready");
        await().atMost(Launched.PATIENCE).until(() -> Files.readAllLines(pids).size() == 2);
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        }
        assertThat(run.err()).contains("ended with 137");
        await().atMost(Launched.PATIENCE)
                .until(() -> Files.readAllLines(pids).stream().noneMatch(Launched::runs));
    }

    @Test
    void childrenThatTheChildLeavesBehindAreEndedToo() throws Exception {
        // At TERM the child goes at once; the grandchild, which ignores it, has lost its parent and must still be
        // found.
        Path pids = directory.resolve("pids");
        Launched run = holdfast(
                        "run",
                        "--lease",
                        LONG,
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "(trap '' TERM; exec sh -c 'echo $$ >> " + pids
                                + "; while :; do sleep 0.1; done') & echo ready; " + "while :; do sleep 0.1; done")
                .untilOut("ready");
        await().atMost(Launched.PATIENCE)
                .until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 1);
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        }
        assertThat(run.err()).contains("ended with 143");
        await().atMost(Launched.PATIENCE)
                .until(() -> Files.readAllLines(pids).stream().noneMatch(Launched::runs));
    }

    @Test
    void aBrokenLockEndsTheChild() throws Exception {
        // An operator breaks the lock. The holder learns with its next renewal; there is no time left to be polite.
        Launched run = holdfast(
                        "run",
                        "--lease",
                        MEDIUM,
                        "--describe",
                        "victim",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "echo ready; exec sleep 600")
                .untilOut("ready");
        Launched breaking = holdfast("break", "--yes", "a");
        assertThat(breaking.exitCode()).as(breaking.err()).isZero();
        assertThat(breaking.out()).contains("Broke lock 'a'", "process " + run.pid(), "victim", "next renewal");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        assertThat(run.err()).contains("Lock 'a' is lost", "was lost after");
    }

    @Test
    void onLossWarnLetsTheChildFinish() throws Exception {
        // Broken, but told to go on: the child ends by itself, and the exit code still says what happened.
        Path end = directory.resolve("end");
        Launched run = holdfast(
                        "run",
                        "--lease",
                        MEDIUM,
                        "--on-loss",
                        "warn",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "echo ready; while [ ! -e " + end + " ]; do sleep 0.1; done; echo finished")
                .untilOut("ready");
        assertThat(holdfast("break", "--yes", "a").exitCode()).isZero();
        await().atMost(Launched.PATIENCE).until(() -> run.err().contains("goes on without it"));
        assertThat(run.isAlive()).isTrue();
        Files.createFile(end);
        assertThat(run.exitCode()).isEqualTo(76);
        assertThat(run.out()).endsWith("finished\n");
    }

    @Test
    void onLossKillDoesNotAsk() throws Exception {
        // A child that would tidy up on TERM gets no such chance.
        Launched run = holdfast(
                        "run",
                        "--lease",
                        SHORT,
                        "--on-loss",
                        "kill",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "trap 'echo heard' TERM; echo ready; while :; do sleep 0.1; done")
                .untilOut("ready");
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        }
        assertThat(run.out()).isEqualTo("ready\n");
    }

    @Test
    void aPauseOfBothPastTheLeaseIsSeenEvenIfTheChildIsDoneFirst() throws Exception {
        // We are stopped past the lease; the child ends meanwhile. Its work may have overlapped: that is not a success.
        Path end = directory.resolve("end");
        Launched run = holdfast(
                        "run",
                        "--lease",
                        SHORT,
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "echo ready; while [ ! -e " + end + " ]; do sleep 0.1; done")
                .untilOut("ready");
        run.stopBetweenSteps(directory.resolve("locks.db"));
        Launched rival = holdfast("run", "a", "--", "touch", end.toString());
        assertThat(rival.exitCode()).as(rival.err()).isZero();
        run.signal("CONT");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
    }

    @Test
    void whoIsBlockedByAStoppedProcessIsToldHowToFindIt() throws Exception {
        // Stopped in the middle of a step, a process keeps the file locked for everybody. They were told that the store
        // did
        // not answer, or was used too much, and nothing about who was in their way.
        assertThat(holdfast("run", "a", "--", "true").exitCode()).isZero();
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            for (String[] limit : new String[][] {{"--no-wait"}, {"--wait", "2s"}}) {
                List<String> arguments = new ArrayList<>(List.of(limit));
                arguments.addAll(List.of("a", "--", "true"));
                Launched rival = holdfast("run", arguments.toArray(String[]::new));
                assertThat(rival.exitCode()).as(rival.err()).isEqualTo(69);
                assertThat(rival.err())
                        .contains("Another process keeps the file locked", "fuser -v " + directory.resolve("locks.db"));
            }
        }
    }
}
