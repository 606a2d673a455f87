package dev.holdfast.cli;

import java.nio.file.Path;

/**
 * Does what a first lock does, so that the JVM can write down which classes that takes. Run by the launcher, once, in an
 * empty directory; nobody listens on the port.
 */
final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] arguments) {
        String file = "sqlite:" + Path.of(arguments[0], "rehearsal.db");
        Main.execute("run", "--at", file, "rehearsal", "--", "true");
        Main.execute("inspect", "--at", file, "--json", "rehearsal");
        Main.execute("ls", "--at", file);
        Main.execute("run", "--no-wait", "--at", "redis://127.0.0.1:1", "rehearsal", "--", "true");
        System.exit(ExitCode.OK);
    }
}
