package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Who may read what the command leaves behind. */
@ExtendWith(Launched.Cleanup.class)
class PermissionsIT {
    @TempDir
    Path directory;

    private Launched underUmask(String umask, String command) throws Exception {
        Launched launched = Launched.start(
                directory,
                Map.of("HOLDFAST", Launched.LAUNCHER.toString()),
                List.of("bash", "-c", "umask " + umask + "; exec \"$HOLDFAST\" " + command));
        assertThat(launched.exitCode()).as(launched.err()).isZero();
        return launched;
    }

    private String mode(String name) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name)));
    }

    @Test
    void whatIsCreatedIsForThisUserAlone() throws Exception {
        // The file was readable for everybody on the machine, and kept the command lines of all who had held a lock.
        underUmask("000", "run a -- true");
        assertThat(mode("state")).isEqualTo("rwx------");
        assertThat(mode("state/holdfast")).isEqualTo("rwx------");
        assertThat(mode("state/holdfast/locks.db")).isEqualTo("rw-------");
        underUmask("000", "run --at sqlite:given.db a -- true");
        assertThat(mode("given.db")).isEqualTo("rw-------");
        underUmask("000", "init jdbc:sqlite:other.db");
        assertThat(mode("other.db")).isEqualTo("rw-------");
        // What a umask takes away is ours to need.
        underUmask("277", "init sqlite:third.db");
        assertThat(mode("third.db")).isEqualTo("rw-------");
    }

    @Test
    void aFileThatOthersMayReadIsToldByDoctor() throws Exception {
        underUmask("022", "run --at sqlite:wide.db a -- true");
        Files.setPosixFilePermissions(directory.resolve("wide.db"), PosixFilePermissions.fromString("rw-r--r--"));
        Launched told = Launched.holdfast(directory, "doctor", "--at", "sqlite:wide.db");
        assertThat(told.exitCode()).as(told.out() + told.err()).isEqualTo(1);
        assertThat(told.out()).contains("WARNING", "wide.db has mode 644", "chmod 600", "mind the warnings");
        Launched still = underUmask("022", "run --at sqlite:wide.db a -- true");
        assertThat(still.err()).isEmpty();
    }
}
