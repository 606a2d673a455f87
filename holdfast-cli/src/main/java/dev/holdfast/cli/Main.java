package dev.holdfast.cli;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockUnavailableException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** The entry point of the command {@code holdfast}. */
public final class Main {
    /** What stands for bytes that could not be read. */
    private static final char UNREADABLE = '\ufffd';

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    static int execute(String... arguments) {
        if (Arrays.stream(arguments).anyMatch(argument -> argument.indexOf(UNREADABLE) >= 0)) {
            Console.system()
                    .error("An argument is not valid text in this locale: two such names could become the same lock.");
            return ExitCode.USAGE;
        }
        int dashes = Arrays.asList(arguments).indexOf("--");
        boolean isRun = arguments.length > 0 && arguments[0].equals("run");
        if (isRun && dashes >= 0) {
            List<String> command = List.of(Arrays.copyOfRange(arguments, dashes + 1, arguments.length));
            return prepared(Commands.run(command)).execute(Arrays.copyOfRange(arguments, 1, dashes));
        }
        if (isRun && Arrays.stream(arguments).noneMatch(Main::asksForHelp)) {
            System.err.println("holdfast: Missing -- before the command: holdfast run NAME -- COMMAND [ARGUMENT...]");
            return ExitCode.USAGE;
        }
        return prepared(Commands.all()).execute(arguments);
    }

    private static boolean asksForHelp(String argument) {
        return argument.equals("--help") || argument.equals("-h");
    }

    private static CommandLine prepared(CommandLine line) {
        return line.registerConverter(Duration.class, new Spans())
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler(Main::refuse)
                .setExecutionExceptionHandler((failure, failed, parsed) -> explain(failure));
    }

    private static int refuse(ParameterException failure, String[] arguments) {
        Console console = Console.system();
        console.error(String.valueOf(failure.getMessage()));
        console.err()
                .println("Try: " + failure.getCommandLine().getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int explain(Exception failure) {
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
        failure.printStackTrace(System.err);
        return ExitCode.BUG;
    }
}
