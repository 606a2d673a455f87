package dev.holdfast.cli;

import dev.holdfast.cli.demo.Demo;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.run.LauncherPipe;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** Everything that can be called: {@code holdfast run}, {@code holdfast ls} and so on. */
final class Commands {
    private Commands() {}

    /** Only {@code run}: describing the other commands to the parser would take a good part of the start-up. */
    static CommandLine run(LauncherPipe orders) {
        return new CommandLine(new RunCommand(orders)).setCommandName("holdfast run");
    }

    /** Likewise only {@code lead}. */
    static CommandLine lead(LauncherPipe orders) {
        return new CommandLine(new LeadCommand(orders)).setCommandName("holdfast lead");
    }

    static CommandLine all() {
        return new CommandLine(new Top())
                .addSubcommand(new RunCommand(null))
                .addSubcommand(new LeadCommand(null))
                .addSubcommand(new ListCommand())
                .addSubcommand(new InspectCommand())
                .addSubcommand(new BreakCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new DashboardCommand())
                .addSubcommand(new InitCommand())
                .addSubcommand(new ReplaceCommand())
                .addSubcommand(FenceCommand.line())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new LabCommand())
                .addSubcommand(new CompletionCommand());
    }

    @Command(
            name = "holdfast",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            description = "Runs commands under a distributed lock, and shows who holds which lock.",
            footer = {
                "",
                "Example: holdfast run nightly-report -- ./report.sh",
                "The locks are in a file of this user unless --at URL or HOLDFAST_URL names a server.",
                "Options of a command: holdfast COMMAND --help"
            })
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
            description = "Shows the lock at work in a few seconds, on five Redis servers that it starts and stops.")
    private static final class DemoCommand implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            Demo.run();
            return ExitCode.OK;
        }
    }

    @Command(
            name = "completion",
            mixinStandardHelpOptions = true,
            description = "Prints a completion script for bash and zsh: source <(holdfast completion)")
    private static final class CompletionCommand implements Callable<Integer> {
        @Override
        public Integer call() {
            System.out.print(Completion.script(all()));
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
