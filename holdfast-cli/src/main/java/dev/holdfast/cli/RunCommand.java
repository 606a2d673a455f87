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
import dev.holdfast.cli.run.LockedRun;
import dev.holdfast.cli.run.OnLoss;
import dev.holdfast.cli.run.RequestedCommand;
import dev.holdfast.cli.run.RunEnvironment;
import dev.holdfast.cli.run.Wanted;
import java.time.Duration;
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
        description =
                "Runs a command while holding a lock, a permit of a semaphore (--permits), or a read-write lock (--read, --write).",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "*:the exit code of the command; 128 + N if signal N ended it",
            "64:the command line is wrong",
            "69:the store cannot be used",
            "70:Holdfast itself failed: Java cannot start, or an internal error",
            "75:somebody else holds the lock (see --busy-exit)",
            "76:the lock was lost, or about to be lost, before the command ended",
            "126:the command is not executable",
            "127:the command was not found"
        })
final class RunCommand implements Callable<Integer> {

    @Mixin
    private StoreOption store = new StoreOption();

    @ArgGroup
    private @Nullable WaitOptions waitOptions;

    @ArgGroup
    private @Nullable HoldOptions holdOptions;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "How long the lock stays taken if this machine dies. It is renewed while the command runs. Default: 30s.")
    private Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--min-hold",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description =
                    "The store keeps the lock at least this long from the start, also after the command and holdfast have ended:"
                            + " for jobs that several machines start by clocks that differ. Not possible on ZooKeeper."
                            + " Default: 0s.")
    private Duration minHold = Duration.ZERO;

    /** What a lease can be asked to keep. Beyond it the release would be refused, after the command has run. */
    private static final Duration LONGEST_MIN_HOLD = Duration.ofDays(365);

    @Option(
            names = "--on-loss",
            paramLabel = "term|kill|warn",
            defaultValue = "term",
            description =
                    "What to do with the command if the lock is about to be lost. term: SIGTERM early enough to finish, then"
                            + " SIGKILL. kill: only SIGKILL. warn: print a warning and let it run. Default: term.")
    private OnLoss onLoss = OnLoss.term;

    @Option(
            names = "--busy-exit",
            paramLabel = "CODE",
            defaultValue = "75",
            description = "The exit code if somebody else holds the lock, 0 to 255. Default: 75.")
    private int busyExit = ExitCode.BUSY;

    @Option(
            names = "--describe",
            paramLabel = "TEXT",
            description =
                    "The description of the holder that others see. Default: the name of the program, without arguments.")
    private @Nullable String description;

    @Option(
            names = "--pass-url",
            description =
                    "Pass HOLDFAST_URL on to the command. Not done by default, because the URL may contain a password.")
    private boolean passUrl;

    @Option(names = "--quiet", description = "Print only errors.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock, semaphore or read-write lock.")
    private String name = "";

    private final @Nullable LauncherPipe orders;

    /** @param orders the way to the shell that will start the command; null: no command was given */
    RunCommand(@Nullable LauncherPipe orders) {
        this.orders = orders;
    }

    @Override
    public Integer call() throws InterruptedException {
        String command = RequestedCommand.command().orElse(null);
        if (command == null || orders == null) {
            throw new CliException(
                    ExitCode.USAGE, "The command is missing: holdfast run NAME -- COMMAND [ARGUMENT...]");
        }
        requireSensible(command);
        Console console = Console.system().quietIf(quiet);
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Signals.deliverTo(events::add);
        Store place = store.open(console);
        return StoreSession.with(
                place,
                lease,
                waitOptions == null ? null : waitOptions.maxWait(),
                events,
                console,
                (holdfast, left, answer) -> run(orders, command, left).with(holdfast, answer, events, console));
    }

    /** @param left what is left of --wait after the first connection */
    private LockedRun run(LauncherPipe to, String command, @Nullable Duration left) {
        return new LockedRun(
                wanted(),
                to,
                left,
                lease,
                minHold,
                onLoss,
                busyExit,
                description == null ? RequestedCommand.program(command) : description,
                RunEnvironment.of(System.getenv(), passUrl));
    }

    private Wanted wanted() {
        return holdOptions == null ? Wanted.lock(name) : holdOptions.of(name);
    }

    private void requireSensible(String command) {
        if (holdOptions != null
                && holdOptions.permits != null
                && (holdOptions.permits < 1 || holdOptions.permits > 1000)) {
            throw new CliException(ExitCode.USAGE, "--permits must be from 1 to 1000: " + holdOptions.permits);
        }
        if (holdOptions != null && holdOptions.read && !minHold.isZero()) {
            throw new CliException(
                    ExitCode.USAGE, "--min-hold is not possible with --read. The command was not started.");
        }
        if (busyExit < 0 || busyExit > 255) {
            throw new CliException(ExitCode.USAGE, "--busy-exit must be from 0 to 255: " + busyExit);
        }
        if (minHold.compareTo(LONGEST_MIN_HOLD) > 0) {
            throw new CliException(
                    ExitCode.USAGE,
                    "--min-hold must be at most " + LONGEST_MIN_HOLD.toDays() + " d. The command was not started.");
        }
        RequestedCommand.requireStartable(command);
    }

    private static final class HoldOptions {
        @Option(
                names = "--permits",
                paramLabel = "N",
                description = "Hold one of N permits: at most N such commands run at a time. HOLDFAST_SLOT says which"
                        + " one it is, from 0 to N - 1. N is at most 1000.")
        private @Nullable Integer permits;

        @Option(names = "--read", description = "Hold the read-write lock NAME as a reader, beside other readers.")
        private boolean read;

        @Option(names = "--write", description = "Hold the read-write lock NAME as its only writer.")
        private boolean write;

        Wanted of(String name) {
            if (permits != null) {
                return Wanted.permit(name, permits);
            }
            return write ? Wanted.writer(name) : Wanted.reader(name);
        }
    }

    private static final class WaitOptions {
        @Option(
                names = "--wait",
                paramLabel = "DURATION",
                description = "How long to wait for the lock, for example 500ms, 30s or 5m. Default: no limit.")
        private @Nullable Duration wait;

        @Option(names = "--no-wait", description = "Exit at once if somebody else holds the lock.")
        private boolean none;

        @Nullable
        Duration maxWait() {
            return none ? Duration.ZERO : wait;
        }
    }
}
