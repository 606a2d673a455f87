package dev.holdfast.cli.run;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import java.util.Optional;

/**
 * The command that is to be run. The launcher has checked whether it can be started, because file names may not be valid
 * text for Java.
 */
public final class RequestedCommand {
    private RequestedCommand() {}

    /** The command without its arguments; nothing if none was given. */
    public static Optional<String> command() {
        return Optional.ofNullable(System.getProperty("holdfast.command"));
    }

    /** What others may read about a command: the name of its program. Directories and arguments can be secret. */
    public static String program(String command) {
        StringBuilder name = new StringBuilder();
        for (char each : command.substring(command.lastIndexOf('/') + 1).toCharArray()) {
            // A description is one line of printable text.
            name.append(Character.isISOControl(each) ? '?' : each);
        }
        return name.length() <= 100 ? name.toString() : name.substring(0, 99) + "…";
    }

    public static void requireStartable(String command) {
        int code = Integer.getInteger("holdfast.startable", ExitCode.OK);
        if (code == ExitCode.NOT_FOUND) {
            throw new CliException(code, "Command not found: " + command);
        }
        if (code != ExitCode.OK) {
            throw new CliException(code, "Not executable: " + command);
        }
    }
}
