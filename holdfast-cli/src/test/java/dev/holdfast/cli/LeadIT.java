package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code holdfast lead}: the command runs on the machine that leads, and only there. Most of the time is spent waiting for leases. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(Launched.Cleanup.class)
class LeadIT {
    /** In its last sixth, four seconds, the command is asked to end and does so, also on a machine that stalls. */
    private static final String LONG = "24s";
    /** Survives a stall. One that is broken is noticed after a third of it. */
    private static final String MEDIUM = "12s";

    /** Says when it starts and when it ends at TERM, with its token, in nanoseconds of the machine's clock. */
    private static final String WORK = "trap 'echo ended $HOLDFAST_TOKEN $(date +%s%N); exit 9' TERM;"
            + " echo started $HOLDFAST_TOKEN $(date +%s%N); while :; do sleep 0.05; done";

    @TempDir
    Path directory;

    private Launched lead(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "env", "--default-signal=HUP,INT,TERM,USR1", Launched.LAUNCHER.toString(), "lead", "--at", at()));
        command.addAll(List.of(arguments));
        return Launched.start(directory, Map.of(), command);
    }

    private Launched holdfast(String... arguments) throws Exception {
        return Launched.holdfast(directory, arguments);
    }

    private String at() {
        return "sqlite:" + directory.resolve("locks.db");
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

    /** Token and time of each line that begins with this word. */
    private static List<long[]> said(Launched launched, String word) throws Exception {
        return launched.out()
                .lines()
                .map(line -> line.split(" "))
                .filter(words -> words[0].equals(word))
                .map(words -> new long[] {Long.parseLong(words[1]), Long.parseLong(words[2])})
                .toList();
    }

    @Test
    void theNextOneLeadsWhenTheLeaderIsStopped() throws Exception {
        Launched first = lead("e", "--", "sh", "-c", WORK).untilOut("started");
        Launched second = lead("e", "--", "sh", "-c", WORK);
        Launched inspect = holdfast("inspect", "--at", at(), "--json", "e");
        assertThat(inspect.exitCode()).isZero();
        assertThat(inspect.out()).contains("\"pid\":" + first.pid()).contains("\"description\":\"sh\"");
        first.signal("TERM");
        assertThat(first.exitCode()).as(first.err()).isEqualTo(9);
        second.untilOut("started");
        long[] ended = said(first, "ended").get(0);
        long[] started = said(second, "started").get(0);
        assertThat(started[0]).as("token").isGreaterThan(ended[0]);
        assertThat(started[1]).as("time").isGreaterThan(ended[1]);
        second.signal("TERM");
        assertThat(second.exitCode()).isEqualTo(9);
    }

    @Test
    void aLostLeadershipStopsTheCommandAndAnotherOneStartsItAgain() throws Exception {
        // The store stops answering: TERM while there is time to finish. When it is back, the command starts again,
        // with its input and
        // output as before and a newer token.
        Launched lead = lead("--lease", LONG, "e", "--", "sh", "-c", WORK).untilOut("started");
        try (Connection hanging = hang()) {
            assertThat(hanging.isClosed()).isFalse();
            lead.untilOut("ended");
            lead.untilErr("about to be lost");
        }
        await().atMost(Launched.PATIENCE).until(() -> said(lead, "started").size() == 2);
        List<long[]> started = said(lead, "started");
        assertThat(started.get(1)[0]).isGreaterThan(started.get(0)[0]);
        lead.signal("TERM");
        assertThat(lead.exitCode()).as(lead.err()).isEqualTo(9);
        assertThat(said(lead, "ended")).hasSize(2);
    }

    @Test
    void aBrokenLeadershipGoesToTheNextAndTheBrokenOneCompetesAgain() throws Exception {
        Launched first = lead("--lease", MEDIUM, "e", "--", "sh", "-c", WORK).untilOut("started");
        Launched second = lead("--lease", MEDIUM, "e", "--", "sh", "-c", WORK);
        assertThat(holdfast("break", "--at", at(), "--yes", "e").exitCode()).isZero();
        await().atMost(Launched.PATIENCE)
                .until(() ->
                        said(second, "started").size() + said(first, "started").size() == 2);
        first.untilErr("ending the command");
        Launched leader = said(second, "started").isEmpty() ? first : second;
        Launched other = leader == first ? second : first;
        leader.signal("TERM");
        assertThat(leader.exitCode()).isEqualTo(9);
        await().atMost(Launched.PATIENCE)
                .until(() ->
                        said(second, "started").size() + said(first, "started").size() == 3);
        other.signal("TERM");
        assertThat(other.exitCode()).as(other.err()).isEqualTo(9);
    }

    @Test
    void aCommandThatEndsByItselfEndsUsAndGivesTheLeadershipBack() throws Exception {
        assertThat(lead("e", "--", "sh", "-c", "exit 7").exitCode()).isEqualTo(7);
        assertThat(lead("e", "--", "sh", "-c", "exit 76").exitCode()).isEqualTo(76);
        assertThat(lead("e", "--", "true").exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130"})
    void aSignalEndsTheWaitingForTheLeadership(String signal, int code) throws Exception {
        Launched leader = lead("e", "--", "sh", "-c", WORK).untilOut("started");
        Launched waiting = lead("e", "--", "sh", "-c", WORK);
        await().atMost(Launched.PATIENCE).until(() -> SignalIT.handlesSignals(waiting.pid()));
        waiting.signal(signal);
        assertThat(waiting.exitCode()).as(waiting.err()).isEqualTo(code);
        assertThat(waiting.out()).isEmpty();
        leader.signal("TERM");
        assertThat(leader.exitCode()).isEqualTo(9);
    }

    @Test
    void theCommandOfAKilledLeaderEndsBeforeTheNextOneStarts() throws Exception {
        // kill -9 of the JVM: the watchdog ends the command with a sixth of the lease to finish; the next leads after
        // the lease.
        Launched first = lead("--lease", LONG, "e", "--", "sh", "-c", WORK).untilOut("started");
        Launched second = lead("--lease", LONG, "e", "--", "sh", "-c", WORK);
        first.signal("KILL");
        second.untilOut("started");
        assertThat(said(first, "ended")).hasSize(1);
        assertThat(said(second, "started").get(0)[1])
                .isGreaterThan(said(first, "ended").get(0)[1]);
        assertThat(first.err()).doesNotContain("before it could ask for the lock");
        second.signal("TERM");
        assertThat(second.exitCode()).isEqualTo(9);
    }

    @Test
    void aLeaderThatWasFrozenPastItsLeaseIsStoppedWhenItWakesAndCompetesAgain() throws Exception {
        Launched first = lead("--lease", MEDIUM, "e", "--", "sh", "-c", WORK).untilOut("started");
        Launched second = lead("--lease", MEDIUM, "e", "--", "sh", "-c", WORK);
        first.stopBetweenSteps(directory.resolve("locks.db"));
        List<Long> all = new ArrayList<>(List.of(first.pid()));
        ProcessHandle.of(first.pid()).orElseThrow().descendants().forEach(each -> all.add(each.pid()));
        signalAll("STOP", all);
        second.untilOut("started");
        signalAll("CONT", all);
        first.untilErr("is lost: ending the command");
        first.untilErr("Competes again");
        second.signal("TERM");
        assertThat(second.exitCode()).isEqualTo(9);
        await().atMost(Launched.PATIENCE).until(() -> said(first, "started").size() == 2);
        assertThat(said(first, "started").get(1)[0])
                .isGreaterThan(said(second, "started").get(0)[0]);
        first.signal("TERM");
        assertThat(first.exitCode()).isEqualTo(9);
    }

    @Test
    void whoeverKillsTheShellThatWaitsForTheCommandFreesNothing() throws Exception {
        // Nobody knows then how the command ends. The leadership is kept until it has ended, and nothing is started
        // again.
        Launched lead =
                lead("e", "--", "sh", "-c", "echo command $$; exec sleep 600").untilOut("command");
        String command = lead.out().strip().split(" ", -1)[1];
        ProcessHandle shell =
                ProcessHandle.of(Long.parseLong(command)).orElseThrow().parent().orElseThrow();
        assertThat(shell.pid()).isNotEqualTo(lead.pid());
        shell.destroyForcibly();
        Launched other = holdfast("run", "--at", at(), "--no-wait", "e", "--", "true");
        assertThat(other.exitCode()).isEqualTo(75);
        Launched.signal("KILL", command);
        assertThat(lead.exitCode()).as(lead.err()).isEqualTo(70);
        assertThat(lead.err()).contains("exit code is not known").doesNotContain("command.sh");
        assertThat(holdfast("run", "--at", at(), "--no-wait", "e", "--", "true").exitCode())
                .isZero();
    }

    /** The command sleeps in processes that come and go: one that has gone cannot be stopped. */
    private static void signalAll(String signal, List<Long> pids) throws Exception {
        for (long pid : pids) {
            new ProcessBuilder("/bin/sh", "-c", "kill -s " + signal + " " + pid + " 2> /dev/null")
                    .start()
                    .waitFor();
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() throws Exception {
        Launched noDashes = lead("e", "true");
        assertThat(noDashes.exitCode()).isEqualTo(64);
        assertThat(noDashes.err()).contains("Missing -- before the command: holdfast lead");
        Launched warn = lead("--on-loss", "warn", "e", "--", "true");
        assertThat(warn.exitCode()).isEqualTo(64);
        assertThat(warn.err()).contains("beside that of the next leader");
        assertThat(lead("e", "--", "no-such-command-anywhere").exitCode()).isEqualTo(127);
        assertThat(lead("e", "--", "/dev/null").exitCode()).isEqualTo(126);
        Launched help = lead("--help", "--", "true");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("holdfast lead [OPTIONS] NAME -- COMMAND");
    }
}
