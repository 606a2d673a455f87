package dev.holdfast.cli;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.cli.connect.Operator;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.LockReport;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "break",
        mixinStandardHelpOptions = true,
        description =
                "Takes a lock away from its holder. The holder notices at its next renewal and goes on working until then."
                        + " Do this only if the holder is dead, or if the resource checks fencing tokens.")
final class BreakCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private KindOption kind = new KindOption();

    @Option(names = "--slot", paramLabel = "N", description = "Which slot of the semaphore to break.")
    private @Nullable Integer slot;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Break only the reader with this token. Without it all readers are broken.")
    private @Nullable Long token;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        LockKey key = kind.key(name);
        requireSensible(key.kind());
        if (!yes && !console.canAsk()) {
            throw new CliException(ExitCode.USAGE, "Not a terminal. Pass --yes to break '" + name + "'.");
        }
        return StoreSession.with(store.open(console), holdfast -> breakIt(holdfast, key, console));
    }

    /** Nobody means all holders of a semaphore, and each slot is somebody else's work. */
    private void requireSensible(LockKind of) {
        if ((of == LockKind.SEMAPHORE) != (slot != null)) {
            throw new CliException(
                    ExitCode.USAGE,
                    slot == null
                            ? "--slot is missing. 'holdfast inspect --semaphore' shows who holds which slot."
                            : "--slot is for semaphores: pass --semaphore as well.");
        }
        if (token != null && (of != LockKind.READ_WRITE_LOCK || token < 1)) {
            throw new CliException(
                    ExitCode.USAGE, "--token is for readers: pass --read-write, and a token of 1 or more.");
        }
    }

    private int breakIt(Holdfast holdfast, LockKey key, Console console) throws InterruptedException {
        List<LockState> seen =
                holdfast.inspect(key).stream().filter(this::isMeant).toList();
        if (seen.isEmpty()) {
            console.say(LockReport.capitalized(key) + which() + " is free: nothing to break.");
            return ExitCode.OK;
        }
        if (!yes && !confirmed(console, seen)) {
            console.say("Nothing was changed.");
            return ExitCode.NO;
        }
        for (LockState each : seen) {
            breakOne(holdfast, each, console);
        }
        return ExitCode.OK;
    }

    private boolean isMeant(LockState state) {
        return (slot == null || state.slot() == slot)
                && (token == null || state.tokens().contains(new FencingToken(token)));
    }

    private String which() {
        return slot != null ? ", slot " + slot + "," : token != null ? ", token " + token + "," : "";
    }

    private void breakOne(Holdfast holdfast, LockState seen, Console console) throws InterruptedException {
        String holder = seen.holder().toString();
        Optional<LockState> broken = holdfast.breakLock(seen);
        if (broken.isEmpty()) {
            console.say("Nothing was broken: " + holder + " no longer holds " + LockReport.what(seen) + ".");
            return;
        }
        console.say("Broke " + LockReport.what(seen) + ", tokens "
                + broken.get().tokens() + ", held by " + holder + ". That process learns of it with its next renewal.");
        console.say("Broken by " + Operator.here(System.getenv()) + " at "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS) + ".");
    }

    private static boolean confirmed(Console console, List<LockState> seen) {
        for (LockState each : seen) {
            console.hint(LockReport.capitalized(LockReport.what(each)) + " has been held for " + LockReport.age(each)
                    + " by " + each.holder() + ".");
        }
        return console.confirmed(
                seen.size() == 1
                        ? "The holder goes on working until its next renewal. Break the lock? [y/N]"
                        : "The holders go on working until their next renewals. Break all " + seen.size() + "? [y/N]");
    }
}
