package dev.holdfast.cli;

import dev.holdfast.GuardState;
import dev.holdfast.cli.connect.GuardOption;
import dev.holdfast.cli.connect.Guards;
import dev.holdfast.cli.connect.Operator;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.GuardReport;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        description = {
            "Moves a guard to the tokens of another lock store, which may be smaller.",
            "From then on the guard accepts only tokens of the given generation: those of processes that name it"
                    + " (withGeneration). All tokens of earlier generations are refused, whatever their size. The move is"
                    + " recorded beside the guard. It cannot be undone; to go back, move on to another generation."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:moved, or the guard was already at that generation",
            "1:not moved: the answer was no, the guard has changed or has seen no token, or its generation is later",
            "64:the command line is wrong",
            "69:the guards cannot be used"
        })
final class FenceMoveCommand implements Callable<Integer> {
    @Mixin
    private GuardOption place = new GuardOption();

    @Option(
            names = "--to",
            required = true,
            paramLabel = "GENERATION",
            description = "The generation of the new store's tokens: a number of yours, larger than the one in use.")
    private int toGeneration;

    @Option(
            names = "--seen",
            paramLabel = "TOKEN",
            description = "Move only if this is the newest token that the guard has seen, as fence show says; or none.")
    private @Nullable String seen;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(names = "--json", description = "Print the guard as it is afterwards, as one JSON object.")
    private boolean json;

    @Parameters(
            index = "0",
            paramLabel = "RESOURCE",
            description = "The name that SqlFence was given, or the guarded key in Redis.")
    private String resource = "";

    @Override
    public Integer call() {
        Console console = Console.system();
        if (toGeneration < 1) {
            throw new CliException(ExitCode.USAGE, "--to must be 1 or more: a guard that was never moved is at 0.");
        }
        if (!yes && !console.canAsk()) {
            throw new CliException(
                    ExitCode.USAGE, "Not a terminal. Pass --yes to move the guard of '" + resource + "'.");
        }
        try (Guards guards = place.store().guards()) {
            return move(guards, console);
        }
    }

    private int move(Guards guards, Console console) {
        Optional<GuardState> found = guards.inspect(resource);
        if (found.isEmpty()) {
            throw new CliException(
                    ExitCode.NO,
                    "The guard of '" + resource + "' has seen no token yet, so there is nothing to move: it takes the"
                            + " generation of the first token. Check the name of the resource.");
        }
        GuardState shown = found.get();
        if (shown.generation() == toGeneration) {
            say(console, guards, "The guard of '" + resource + "' is already at generation " + toGeneration + ".");
            return ExitCode.OK;
        }
        requireAllowed(shown);
        if (!yes && !confirmed(console, shown)) {
            console.say("Nothing was changed.");
            return ExitCode.NO;
        }
        if (!guards.move(resource, shown, toGeneration, Operator.here(System.getenv()))) {
            throw new CliException(
                    ExitCode.NO,
                    "The guard of '" + resource + "' has changed meanwhile, so nothing was moved: somebody presented a"
                            + " token or moved it. Stop the processes that use the old lock store, and look again:"
                            + " holdfast fence show");
        }
        say(
                console,
                guards,
                "Moved the guard of '" + resource + "' from generation " + shown.generation() + " (newest token "
                        + GuardReport.newest(shown.newest()) + ") to " + toGeneration + ". Recorded: by "
                        + Operator.here(System.getenv()) + ".");
        return ExitCode.OK;
    }

    private void requireAllowed(GuardState shown) {
        if (shown.generation() > toGeneration) {
            throw new CliException(
                    ExitCode.NO,
                    "The guard of '" + resource + "' is at generation " + shown.generation() + " and cannot go back to "
                            + toGeneration
                            + ": tokens that are refused now would pass again. Choose a generation above "
                            + shown.generation() + ".");
        }
        String newest = GuardReport.newest(shown.newest());
        if (seen != null && !seen.equals(newest)) {
            throw new CliException(
                    ExitCode.NO,
                    "The newest token at '" + resource + "' is " + newest + ", not " + seen + ". Nothing was moved.");
        }
    }

    private void say(Console console, Guards guards, String text) {
        if (json) {
            console.json(GuardReport.json(resource, guards.inspect(resource)));
        } else {
            console.say(text);
        }
    }

    private boolean confirmed(Console console, GuardState shown) {
        console.hint("The guard of '" + resource + "' is at generation " + shown.generation()
                + "; the newest token it has seen is " + GuardReport.newest(shown.newest()) + ".");
        return console.confirmed("Processes that still use the old lock store will be refused for ever. Move it to"
                + " generation " + toGeneration + "? [y/N]");
    }
}
