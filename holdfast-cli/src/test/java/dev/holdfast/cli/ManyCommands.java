package dev.holdfast.cli;

import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import java.util.List;

/** Every command with every URL that it is given, in one process: a JVM for each would take minutes. */
final class ManyCommands {
    private ManyCommands() {}

    public static void main(String[] urls) {
        // As the launcher tells of a command. None of these comes so far as to start it.
        System.setProperty("holdfast.command", "true");
        for (String url : urls) {
            run(List.of("doctor", "--at", url));
            run(List.of("init", url));
            run(List.of("run", "--no-wait", "--at", url, "a"));
            if (url.contains("://") || url.startsWith("redis") || url.startsWith("jdbc:")) {
                // Mistakes in the command line are answered with what was typed.
                run(List.of("ls", "prefix", url));
                run(List.of("ls", "--att=" + url));
            }
            if (!url.startsWith("zookeeper:")) {
                // These wait for some seconds where nobody answers, and say the same.
                run(List.of("ls", "--json", "--at", url));
                run(List.of("inspect", "a", "--at", url));
                run(List.of("break", "--yes", "--at", url, "a"));
            }
        }
        System.exit(Console.system().finish(ExitCode.OK));
    }

    private static void run(List<String> command) {
        Passwords.forgetAll();
        int code = Main.execute(command.toArray(String[]::new));
        Console.system().say(command.get(0) + ": " + code);
    }
}
