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
        Launched refused = Launched.holdfast(directory, arguments);
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
        assertThat(refused(64, "run", "--at", at, "a", "--")).contains("No command");
        assertThat(refused(64, "run", "--at", at, "--", "echo")).contains("NAME");
        assertThat(refused(64, "run", "--at", at, "a", "b", "--", "echo")).contains("b");
        assertThat(refused(64, "run", "--at", at, "", "--", "echo")).contains("empty");
        assertThat(refused(64, "run", "--at", at, "--lease", "30", "a", "--", "echo"))
                .contains("'30' is not a duration");
        assertThat(refused(64, "run", "--at", at, "--lease", "1ms", "a", "--", "echo"))
                .contains("lease");
        assertThat(refused(64, "run", "--at", at, "--wait", "1s", "--no-wait", "a", "--", "echo"))
                .contains("mutually exclusive");
        assertThat(refused(64, "run", "--at", at, "--on-loss", "pray", "a", "--", "echo"))
                .contains("term");
        assertThat(refused(64, "run", "--at", at, "--busy-exit", "256", "a", "--", "echo"))
                .contains("0 to 255");
        assertThat(refused(64, "frobnicate")).contains("frobnicate");
    }

    @Test
    void anUnknownSchemeIsAnsweredWithThoseKnown() throws Exception {
        // A typing error in a URL that holds a password: the password is not repeated.
        assertThat(refused(64, "run", "--at", "reddis://user:secret@host", "a", "--", "echo"))
                .contains(
                        "reddis://user:***@host",
                        "sqlite:PATH",
                        "redis://HOST:PORT",
                        "rediss://",
                        "zookeeper://",
                        "jdbc:")
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
        // Nobody listens on that port.
        int port = RedisServers.freePort();
        assertThat(refused(69, "run", "--at", "redis://user:secret@127.0.0.1:" + port, "a", "--", "echo"))
                .contains("127.0.0.1:" + port)
                .doesNotContain("secret");
        assertThat(refused(
                        69,
                        "run",
                        "--at",
                        "jdbc:postgresql://127.0.0.1:" + port + "/locks?password=secret",
                        "a",
                        "--",
                        "echo"))
                .contains("127.0.0.1:" + port)
                .doesNotContain("secret");
        assertThat(refused(69, "run", "--at", "jdbc:nobody://host/x", "a", "--", "echo"))
                .contains("jdbc:nobody://host/x");
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
