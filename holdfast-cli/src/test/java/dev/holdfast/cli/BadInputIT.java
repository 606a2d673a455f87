package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What people type, and what is wrong with their machines. */
@ExtendWith(Launched.Cleanup.class)
class BadInputIT {
    @TempDir
    Path directory;

    private String refused(int code, String... arguments) throws Exception {
        return refused(code, Launched.holdfast(directory, arguments));
    }

    private static String refused(int code, Launched refused) throws Exception {
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(code);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).startsWith("holdfast: ").doesNotContain("\tat ");
        return refused.err();
    }

    @Test
    void aCommandLineThatMakesNoSense() throws Exception {
        // Each is a mistake that somebody makes on the first day.
        String at = "sqlite:" + directory.resolve("locks.db");
        assertThat(refused(64, "run", "a", "echo", "hi")).contains("Missing --");
        assertThat(refused(64, "run", "--at", at, "a", "--")).contains("The command is missing");
        assertThat(refused(64, "run", "--at", at, "--", "echo")).contains("NAME");
        assertThat(refused(64, "run", "--at", at, "a", "b", "--", "echo")).contains("b");
        assertThat(refused(64, "run", "--at", at, "", "--", "echo")).contains("empty");
        assertThat(refused(64, "run", "--at", at, "--lease", "30", "a", "--", "echo"))
                .contains("'30' is not a duration");
        assertThat(refused(64, "run", "--at", at, "--lease", "1ms", "a", "--", "echo"))
                .contains("lease");
        // Said after the connection was there, and where there was none, never.
        String away = "redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3";
        assertThat(refused(64, "run", "--at", away, "--lease", "0s", "a", "--", "echo"))
                .contains("--lease must be at least 10 ms");
        assertThat(refused(64, "run", "--at", away, "--lease", "61s", "a", "--", "echo"))
                .contains("--lease must be at most 1 min 0 s at this store");
        assertThat(refused(64, "run", "--at", at, "--lease", "2d", "a", "--", "echo"))
                .contains("--lease must be at most 1 d");
        // It ran, and was told that the command line was wrong only when the lock was given back. Nothing was kept.
        assertThat(refused(64, "run", "--at", at, "--min-hold", "366d", "a", "--", "echo", "ran"))
                .contains("--min-hold must be at most 365 d");
        assertThat(refused(64, "run", "--at", at, "--lease=-5s", "a", "--", "echo"))
                .contains("not a duration");
        assertThat(refused(64, "run", "--at", at, "--wait", "1s", "--no-wait", "a", "--", "echo"))
                .contains("mutually exclusive");
        assertThat(refused(64, "run", "--at", at, "--on-loss", "pray", "a", "--", "echo"))
                .contains("term");
        assertThat(refused(64, "run", "--at", at, "--busy-exit", "256", "a", "--", "echo"))
                .contains("0 to 255");
        assertThat(refused(64, "init")).contains("No store is given");
        assertThat(refused(64, "frobnicate")).contains("frobnicate");
        // These were answered with help and 0, and nothing had been run.
        assertThat(refused(64, "frobnicate", "--help")).contains("frobnicate");
        assertThat(refused(64, "run", "a", "ls", "--help")).contains("Missing --");
        assertThat(refused(64, "run", "--at", at, "--wait", "1s", "a", "grep", "-h", "x"))
                .contains("Missing --");
        // This was accepted, and ended with a stack trace when the command was done.
        assertThat(refused(64, "run", "--at", at, "--min-hold", "200000d", "a", "--", "echo"))
                .contains("'200000d' is not a duration from 0 to 36500d");
        assertThat(refused(64, "run", "--at", at, "--wait", "999999999999d", "a", "--", "echo"))
                .contains("is not a duration");
        assertThat(refused(64, "run", "--at", at, "--wait", "PT-1S", "a", "--", "echo"))
                .contains("is not a duration");
        // The whole command, as it is to be typed.
        assertThat(refused(64, "run", "--at", at, "--frob", "a", "--", "echo")).contains("Try: holdfast run --help");
    }

    @Test
    void anArgumentThatBeginsWithAtIsTakenAsItStands() throws Exception {
        // It was taken for the name of a file with further arguments, as javac does it: a lock of that name was another
        // one as soon as such a file lay there, and the lines of any file could be shown as mistakes.
        Files.writeString(directory.resolve("daily"), "--no-such-option\n");
        String at = "sqlite:" + directory.resolve("locks.db");
        Launched run = Launched.holdfast(
                directory, "run", "--at", at, "@daily", "--", "sh", "-c", Launched.LAUNCHER + " ls --at " + at);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("@daily");
        Launched inspected = Launched.holdfast(directory, "inspect", "--at", at, "@daily");
        assertThat(inspected.err()).doesNotContain("no-such-option");
        assertThat(refused(64, "ls", "--at", "@daily")).doesNotContain("no-such-option");
    }

    @Test
    void anUnknownSchemeIsAnsweredWithThoseKnown() throws Exception {
        // A typing error in a URL that holds a password: the password is not repeated.
        assertThat(refused(64, "run", "--at", "reddis://user:secret@host", "a", "--", "echo"))
                .contains("reddis:…", "sqlite:PATH", "redis://HOST:PORT", "rediss://", "zookeeper://", "jdbc:")
                .doesNotContain("secret");
    }

    @Test
    void anEmptyUrlIsNotTheDefault() throws Exception {
        // A script with a variable that is not set: its locks must not end up where no other machine looks.
        assertThat(refused(64, "run", "--at", "", "a", "--", "echo")).contains("sqlite:PATH");
    }

    @Test
    void missingTablesAreSaidToBeMissing() throws Exception {
        // A database that nobody has prepared.
        assertThat(refused(
                        69, "run", "--no-wait", "--at", "jdbc:sqlite:" + directory.resolve("x.db"), "a", "--", "echo"))
                .contains("tables of Holdfast are missing", "holdfast init")
                .doesNotContain("CREATE");
    }

    @Test
    void aServerThatDoesNotAnswerIsNamed() throws Exception {
        // Nobody listens on that port, and no other test is given it.
        int port = 1;
        String redis = "redis://user:secret@127.0.0.1:" + port;
        String postgresql = "jdbc:postgresql://127.0.0.1:" + port + "/locks?password=secret";
        // At once: each is tried for ten seconds.
        List<Launched> both = List.of(
                Launched.holdfast(directory, "run", "--at", redis, "a", "--", "echo"),
                Launched.holdfast(directory, "run", "--at", postgresql, "a", "--", "echo"));
        assertThat(refused(69, "run", "--at", "jdbc:nobody://host/x", "a", "--", "echo"))
                .contains("jdbc:nobody://host/x");
        for (Launched each : both) {
            assertThat(refused(69, each)).contains("127.0.0.1:" + port).doesNotContain("secret");
        }
    }

    @Test
    void aFileThatCannotBeUsed() throws Exception {
        // No directory, a directory nobody may write to (not even root), and a file that is no database.
        assertThat(refused(69, "run", "--at", "sqlite:" + directory.resolve("none/locks.db"), "a", "--", "echo"))
                .contains(directory.resolve("none").toString());
        Launched forbidden = Launched.start(
                directory,
                Map.of("XDG_STATE_HOME", "/sys/kernel"),
                List.of(Launched.LAUNCHER.toString(), "run", "a", "--", "echo"));
        assertThat(forbidden.exitCode()).as(forbidden.err()).isEqualTo(69);
        assertThat(forbidden.err())
                .contains("/sys/kernel/holdfast", "XDG_STATE_HOME")
                .doesNotContain("\tat ");
        // Was tried for ten seconds, as an outage.
        assertThat(refused(69, "run", "--at", "sqlite:" + directory, "a", "--", "echo"))
                .contains("is a directory")
                .doesNotContain("Tried for");
        Path corrupt = Files.writeString(directory.resolve("corrupt.db"), "this is not a database\n".repeat(1000));
        assertThat(refused(69, "run", "--at", "sqlite:" + corrupt, "a", "--", "echo"))
                .contains(corrupt.toString());
        assertThat(Files.readString(corrupt)).startsWith("this is not");
    }

    @Test
    void helpIsHelpful() throws Exception {
        // Asked for, it goes to stdout and is no error; nothing at all is answered with usage.
        Launched help = Launched.holdfast(directory, "run", "--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("holdfast run [OPTIONS] NAME -- COMMAND", "--min-hold", "75");
        assertThat(Launched.holdfast(directory, "--version")
                        .untilOut("holdfast 0.")
                        .exitCode())
                .isZero();
        Launched nothing = Launched.holdfast(directory);
        assertThat(nothing.exitCode()).isEqualTo(64);
        assertThat(nothing.err()).contains("run", "ls", "inspect", "break", "doctor", "init", "demo");
    }
}
