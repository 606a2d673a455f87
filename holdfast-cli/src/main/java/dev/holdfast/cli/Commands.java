package dev.holdfast.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** What there is to call. */
final class Commands {
    private Commands() {}

    /** Alone: describing commands that nobody asked for is a good part of the start-up. */
    static CommandLine run(List<String> command) {
        return new CommandLine(new RunCommand(command));
    }

    static CommandLine all() {
        return new CommandLine(new Top())
                .addSubcommand(run(List.of()))
                .addSubcommand(new ListCommand())
                .addSubcommand(new InspectCommand())
                .addSubcommand(new BreakCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new InitCommand())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new CompletionCommand());
    }

    @Command(
            name = "holdfast",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            description = "A lock from the shell: across processes and machines, with a lease and a fencing token.")
    private static final class Top implements Callable<Integer> {
        @Override
        public Integer call() {
            all().usage(System.err);
            return ExitCode.USAGE;
        }
    }

    @Command(
            name = "demo",
            mixinStandardHelpOptions = true,
            description = "Tells the story in a few seconds, on five Redis servers that it starts and stops.")
    private static final class DemoCommand implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            Demo.tell();
            return ExitCode.OK;
        }
    }

    @Command(
            name = "completion",
            mixinStandardHelpOptions = true,
            description = "Prints the completion for bash and zsh: source <(holdfast completion)")
    private static final class CompletionCommand implements Callable<Integer> {
        @Override
        public Integer call() {
            System.out.print(AutoComplete.bash("holdfast", all()));
            return ExitCode.OK;
        }
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"holdfast " + (version == null ? "(not packaged)" : version)};
        }
    }
}
