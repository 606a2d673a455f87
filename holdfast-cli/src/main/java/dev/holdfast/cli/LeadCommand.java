package dev.holdfast.cli;

import dev.holdfast.cli.connect.Store;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.events.Signals;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.run.LauncherPipe;
import dev.holdfast.cli.run.LeadingRun;
import dev.holdfast.cli.run.OnLoss;
import dev.holdfast.cli.run.RequestedCommand;
import dev.holdfast.cli.run.RunEnvironment;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "lead",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis = "holdfast lead [OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        description = {
            "Runs a command on one machine of several: on the one that leads.",
            "Starts the command when this process leads, stops it if the leadership is lost, starts it again when this process leads"
                    + " again. Ends when the command ends by itself, and gives the leadership back."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "*:the exit code of the command; 128 + N if signal N ended it, or the waiting for the leadership",
            "64:the command line is wrong",
            "69:the store cannot be used",
            "70:Holdfast itself failed: Java cannot start, or an internal error",
            "76:the leadership was lost while the command was being stopped by a signal",
            "126:the command is not executable",
            "127:the command was not found"
        })
final class LeadCommand implements Callable<Integer> {

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "How long nobody leads, at most, if this machine dies. The leadership is renewed while the command runs. Default: 30s.")
    private Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--on-loss",
            paramLabel = "term|kill",
            defaultValue = "term",
            description =
                    "How to stop the command if the leadership is about to be lost. term: SIGTERM early enough to finish, then"
                            + " SIGKILL. kill: only SIGKILL. Default: term.")
    private OnLoss onLoss = OnLoss.term;

    @Option(
            names = "--describe",
            paramLabel = "TEXT",
            description =
                    "The description of the leader that others see. Default: the name of the program, without arguments.")
    private @Nullable String description;

    @Option(
            names = "--pass-url",
            description =
                    "Pass HOLDFAST_URL on to the command. Not done by default, because the URL may contain a password.")
    private boolean passUrl;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the election.")
    private String name = "";

    private final @Nullable LauncherPipe orders;

    /** @param orders the way to the shell that will start the command; null: no command was given */
    LeadCommand(@Nullable LauncherPipe orders) {
        this.orders = orders;
    }

    @Override
    public Integer call() throws InterruptedException {
        String command = RequestedCommand.command().orElse(null);
        if (command == null || orders == null) {
            throw new CliException(
                    ExitCode.USAGE, "The command is missing: holdfast lead NAME -- COMMAND [ARGUMENT...]");
        }
        if (onLoss == OnLoss.warn) {
            throw new CliException(
                    ExitCode.USAGE,
                    "--on-loss warn is not possible with lead: the command would run on beside that of the next leader. Use"
                            + " term or kill.");
        }
        RequestedCommand.requireStartable(command);
        Console console = Console.system().quietIf(quiet);
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Signals.deliverTo(events::add);
        Store place = store.open(console);
        LeadingRun run = new LeadingRun(
                name,
                orders,
                lease,
                onLoss,
                description == null ? RequestedCommand.program(command) : description,
                RunEnvironment.of(System.getenv(), passUrl));
        return StoreSession.with(
                place,
                lease,
                null,
                events,
                console,
                (holdfast, left, answer) -> run.with(holdfast, answer, events, console));
    }
}
