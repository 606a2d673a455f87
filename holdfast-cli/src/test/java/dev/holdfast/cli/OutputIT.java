package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What arrives at the terminal, in the pipe, in the file. */
@ExtendWith(Launched.Cleanup.class)
class OutputIT {
    @TempDir
    Path directory;

    private Launched holdfast(String... arguments) throws Exception {
        return Launched.holdfast(directory, arguments);
    }

    private Launched shell(String script) throws Exception {
        return Launched.start(
                directory, Map.of("HOLDFAST", Launched.LAUNCHER.toString()), List.of("bash", "-c", script));
    }

    @Test
    void whatOthersWroteForgesNoRow() throws Exception {
        // A line break in a description began a row of ls that looked like a lock of its own; a mark that turns the
        // direction of the text in a name made it read as another one.
        String name = "pay\u202elotyap";
        String description = "job\nother-lock  host-7  4711  1.0 s  \u001b[2J";
        Launched holder = holdfast("run", "--describe", "x", name, "--", "sh", "-c", "echo ready; exec sleep 600")
                .untilOut("ready");
        // Holdfast writes no such description: others who may write to the store can.
        Path file = directory.resolve("state/holdfast/locks.db");
        try (Connection hostile = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement patience = hostile.createStatement();
                PreparedStatement update = hostile.prepareStatement("UPDATE holdfast_lock SET description = ?")) {
            patience.execute("PRAGMA busy_timeout = 60000");
            update.setString(1, description);
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
        Launched list = holdfast("ls");
        assertThat(list.exitCode()).as(list.err()).isZero();
        assertThat(list.out().lines()).hasSize(2);
        assertThat(list.out())
                .contains("pay\\u202elotyap", "job\\nother-lock\\u0020\\u0020host-7", "\\u001b[2J")
                .doesNotContain("\u202e", "\u001b");
        Launched one = holdfast("inspect", name);
        assertThat(one.exitCode()).as(one.err()).isZero();
        assertThat(one.out()).contains("name         pay\\u202elotyap", "description  job\\nother-lock  host-7");
        Launched busy = holdfast("run", "--no-wait", name, "--", "true");
        assertThat(busy.exitCode()).isEqualTo(75);
        assertThat(busy.err().lines()).hasSize(1);
        assertThat(busy.err()).contains("job\\nother-lock").doesNotContain("\u202e", "\u001b");
        Launched json = holdfast("ls", "--json");
        assertThat(json.exitCode()).isZero();
        assertThat(json.out())
                .contains("\"name\":\"pay\\u202elotyap\"", "\"description\":\"job\\u000aother-lock  host-7");
        Launched broken = holdfast("break", "--yes", name);
        assertThat(broken.exitCode()).as(broken.err()).isZero();
        assertThat(broken.out())
                .contains("pay\\u202elotyap", "job\\nother-lock")
                .doesNotContain("\u202e", "\u001b");
        holder.signal("TERM");
    }

    @Test
    void outputThatDoesNotArriveIsNoSuccess() throws Exception {
        // ls > /dev/full ended with 0, and the script behind it took an empty file for "nothing is held".
        for (String command : List.of("ls --json", "inspect a", "doctor", "--help", "completion")) {
            Launched full = shell("\"$HOLDFAST\" " + command + " > /dev/full");
            assertThat(full.exitCode()).as(command).isEqualTo(74);
            assertThat(full.err()).contains("could not be written: No space left on device");
        }
        // Whoever reads has gone before anything is written.
        Launched gone = shell("set -o pipefail; { until [ -e gone ]; do sleep 0.05; done; \"$HOLDFAST\" completion; }"
                + " | { exec <&-; touch gone; }");
        assertThat(gone.exitCode()).isEqualTo(141);
        assertThat(gone.err()).isEmpty();
        // The command of a run writes for itself, and only its own code counts.
        assertThat(shell("\"$HOLDFAST\" run a -- true > /dev/full 2> /dev/full").exitCode())
                .isZero();
    }
}
