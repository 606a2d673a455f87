package dev.holdfast.cli;

import dev.holdfast.GuardState;
import dev.holdfast.cli.connect.GuardOption;
import dev.holdfast.cli.connect.Guards;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.GuardReport;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "fence",
        mixinStandardHelpOptions = true,
        description = "Shows the guards of data, which check fencing tokens, and moves them to another lock store.")
final class FenceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    static CommandLine line() {
        return new CommandLine(new FenceCommand()).addSubcommand(new Show()).addSubcommand(new FenceMoveCommand());
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(System.err);
        return ExitCode.USAGE;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows which tokens a guard accepts, the newest that it has seen, and how it was moved.",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:shown; also if no token was seen yet",
                "64:the command line is wrong",
                "69:the guards cannot be used"
            })
    static final class Show implements Callable<Integer> {
        @Mixin
        private GuardOption place = new GuardOption();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Parameters(
                index = "0",
                paramLabel = "RESOURCE",
                description = "The name that SqlFence was given, or the guarded key in Redis.")
        private String resource = "";

        @Override
        public Integer call() {
            Console console = Console.system();
            try (Guards guards = place.store().guards()) {
                Optional<GuardState> state = guards.inspect(resource);
                if (json) {
                    console.json(GuardReport.json(resource, state));
                } else if (state.isPresent()) {
                    GuardReport.lines(resource, state.get()).forEach(console::say);
                } else {
                    console.say("The guard of '" + resource + "' has seen no token yet.");
                }
                return ExitCode.OK;
            }
        }
    }
}
