package dev.holdfast.cli;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import dev.holdfast.cli.run.LauncherPipe;
import dev.holdfast.cli.run.RequestedCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** The entry point of the command {@code holdfast}. */
public final class Main {
    /** Java puts this character in the place of bytes that it could not read. */
    private static final char UNREADABLE = '\ufffd';

    /** What follows the two dashes is somebody else's command. */
    private static final Set<String> STARTING_COMMANDS = Set.of("run", "lead");

    private Main() {}

    public static void main(String[] arguments) {
        int exitCode = ExitCode.INTERNAL_ERROR;
        try {
            exitCode = Console.system().finish(execute(arguments));
        } catch (Throwable failure) {
            // Out of memory or threads, for the most part. Left alone, the JVM would end with 1, which could be the
            // command's.
            explain(failure);
        }
        System.exit(exitCode);
    }

    static int execute(String... arguments) {
        Console.system();
        Passwords.rememberThoseOf(List.of(arguments));
        if (Arrays.stream(arguments).anyMatch(argument -> argument.indexOf(UNREADABLE) >= 0)) {
            Console.system()
                    .error(
                            "An argument of holdfast is not valid text in this locale. It is refused, because two different"
                                    + " names could be read as the same lock.");
            return ExitCode.USAGE;
        }
        boolean startsCommand = arguments.length > 0 && STARTING_COMMANDS.contains(arguments[0]);
        if (startsCommand && RequestedCommand.command().isPresent()) {
            return run(arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
        }
        if (startsCommand && !Arrays.asList(arguments).contains("--") && !asksForHelp(arguments)) {
            Console.system()
                    .error("Missing -- before the command: holdfast " + arguments[0]
                            + " NAME -- COMMAND [ARGUMENT...]");
            return ExitCode.USAGE;
        }
        CommandLine all = prepared(Commands.all());
        if (arguments.length > 0
                && !arguments[0].startsWith("-")
                && !all.getSubcommands().containsKey(arguments[0])) {
            Console.system().error("Unknown command '" + arguments[0] + "'.");
            Console.system().hint("Try: holdfast --help");
            return ExitCode.USAGE;
        }
        return all.execute(arguments);
    }

    /** Our standard output leads to the shell that starts the command. Help is therefore printed by that shell. */
    private static int run(String subcommand, String[] options) {
        LauncherPipe orders = LauncherPipe.toLauncher();
        orders.ready();
        StringWriter said = new StringWriter();
        CommandLine line = subcommand.equals("lead") ? Commands.lead(orders) : Commands.run(orders);
        int exitCode = prepared(line).setOut(new PrintWriter(said)).execute(options);
        if (said.getBuffer().length() > 0) {
            orders.print(said.toString());
        }
        return exitCode;
    }

    /** Whether help is asked for before the name of the lock. What follows the name is a command without its dashes. */
    private static boolean asksForHelp(String[] arguments) {
        try {
            return prepared(new CommandLine(arguments[0].equals("lead") ? new LeadCommand(null) : new RunCommand(null)))
                    .setStopAtPositional(true)
                    .setUnmatchedArgumentsAllowed(true)
                    .parseArgs(Arrays.copyOfRange(arguments, 1, arguments.length))
                    .isUsageHelpRequested();
        } catch (ParameterException e) {
            return false;
        }
    }

    private static CommandLine prepared(CommandLine line) {
        return line.registerConverter(Duration.class, new Durations())
                // A lock or a URL may begin with @. It is not the name of a file with arguments in it.
                .setExpandAtFiles(false)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler(Main::refuse)
                .setExecutionExceptionHandler((failure, failed, parsed) -> explain(failure));
    }

    private static int refuse(ParameterException failure, String[] arguments) {
        Console console = Console.system();
        console.error(String.valueOf(failure.getMessage()));
        console.hint("Try: " + failure.getCommandLine().getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int explain(Throwable failure) {
        if (failure instanceof CliException known) {
            Console.system().error(String.valueOf(known.getMessage()));
            return known.exitCode();
        }
        if (failure instanceof LockUnavailableException || failure instanceof HoldfastException) {
            Console.system().error(String.valueOf(failure.getMessage()));
            return ExitCode.UNAVAILABLE;
        }
        if (failure instanceof IllegalArgumentException) {
            Console.system().error(String.valueOf(failure.getMessage()));
            return ExitCode.USAGE;
        }
        Console.system().trace(failure);
        if (failure instanceof VirtualMachineError) {
            Console.system()
                    .error(
                            "Java has run out of memory or threads: raise the limits of this process (ulimit -a), or free some.");
        }
        return ExitCode.INTERNAL_ERROR;
    }
}
