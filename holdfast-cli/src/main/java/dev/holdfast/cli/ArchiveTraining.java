package dev.holdfast.cli;

import dev.holdfast.cli.output.ExitCode;
import java.nio.file.Path;

/**
 * Uses the commands once, so that the JVM can record which classes they need. The launcher runs it in an empty directory and
 * with a command to run. Nothing listens on the port.
 */
final class ArchiveTraining {
    private ArchiveTraining() {}

    public static void main(String[] arguments) {
        String file = "sqlite:" + Path.of(arguments[0], "rehearsal.db");
        Main.execute("run", "--at", file, "rehearsal");
        Main.execute("inspect", "--at", file, "--json", "rehearsal");
        Main.execute("ls", "--at", file);
        Main.execute("run", "--no-wait", "--at", "redis://127.0.0.1:1", "rehearsal");
        System.exit(ExitCode.OK);
    }
}
