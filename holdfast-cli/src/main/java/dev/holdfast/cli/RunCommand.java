package dev.holdfast.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis = "holdfast run [OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        description = "Runs a command while holding a lock.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "*:that of the command; 128 + N if signal N ended it",
            "64:the command line makes no sense",
            "69:the store cannot be used",
            "75:somebody else holds the lock (see --busy-exit)",
            "76:the lease was lost, or about to be, while the command ran",
            "126:the command is not executable",
            "127:the command was not found"
        })
final class RunCommand implements Callable<Integer> {

    @Mixin
    private StoreOption store = new StoreOption();

    @ArgGroup
    private @Nullable Patience patience;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "How long the lock stays taken if this machine dies. Renewed at each third. Default: 30s.")
    private Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--min-hold",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "Keep the lock at least that long, for jobs started by clocks that differ. Default: 0s.")
    private Duration minHold = Duration.ZERO;

    @Option(
            names = "--on-loss",
            paramLabel = "term|kill|warn",
            defaultValue = "term",
            description =
                    "What happens to the command if the lease cannot be kept: SIGTERM early enough to finish, then"
                            + " SIGKILL; SIGKILL only; or nothing but a warning. Default: term.")
    private OnLoss onLoss = OnLoss.term;

    @Option(
            names = "--busy-exit",
            paramLabel = "CODE",
            defaultValue = "75",
            description = "The exit code for a busy lock, 0 to 255. Default: 75.")
    private int busyExit = ExitCode.BUSY;

    @Option(
            names = "--describe",
            paramLabel = "TEXT",
            description = "What others read about the holder. Default: the command.")
    private @Nullable String description;

    @Option(names = "--quiet", description = "No notes on stderr, only errors.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    private final List<String> command;

    /** The command comes from behind the two dashes, where no option is ours. */
    RunCommand(List<String> command) {
        this.command = command;
    }

    @Override
    public Integer call() throws InterruptedException {
        requireSensible();
        Console console = Console.system().quietIf(quiet);
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Signals.deliverTo(events::add);
        Store place = store.open(console);
        Run run = new Run(
                name,
                command,
                patience == null ? null : patience.maxWait(),
                lease,
                minHold,
                onLoss,
                busyExit,
                description == null ? described(command) : description);
        return Sessions.with(place, lease, holdfast -> run.with(holdfast, events, console));
    }

    private void requireSensible() {
        if (command.isEmpty()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "No command. Two dashes come before it: holdfast run NAME -- COMMAND [ARGUMENT...]");
        }
        if (busyExit < 0 || busyExit > 255) {
            throw new CliException(ExitCode.USAGE, "--busy-exit must be from 0 to 255: " + busyExit);
        }
        Executables.require(command.get(0), System.getenv().getOrDefault("PATH", ""));
    }

    private static String described(List<String> command) {
        String text = Console.plain(String.join(" ", command).replace('\n', ' '));
        return text.length() <= 100 ? text : text.substring(0, 99) + "…";
    }

    private static final class Patience {
        @Option(
                names = "--wait",
                paramLabel = "DURATION",
                description = "Wait at most that long. Default: as long as it takes.")
        private @Nullable Duration wait;

        @Option(names = "--no-wait", description = "Do not wait.")
        private boolean none;

        @Nullable
        Duration maxWait() {
            return none ? Duration.ZERO : wait;
        }
    }
}
