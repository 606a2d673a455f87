package dev.holdfast.cli;

import dev.holdfast.Holdfast;
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
import java.util.Optional;
import java.util.concurrent.Callable;
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

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        if (!yes && !console.canAsk()) {
            throw new CliException(ExitCode.USAGE, "Not a terminal. Pass --yes to break '" + name + "'.");
        }
        return StoreSession.with(store.open(console), holdfast -> breakIt(holdfast, console));
    }

    private int breakIt(Holdfast holdfast, Console console) throws InterruptedException {
        Optional<LockState> seen = holdfast.inspect(name);
        if (seen.isEmpty()) {
            console.say("Lock '" + name + "' is free: nothing to break.");
            return ExitCode.OK;
        }
        String holder = seen.get().holder().toString();
        if (!yes && !confirmed(console, holder, seen.get())) {
            console.say("Nothing was changed.");
            return ExitCode.NO;
        }
        Optional<LockState> broken = holdfast.breakLock(seen.get());
        if (broken.isEmpty()) {
            console.say("Nothing was broken: " + holder + " no longer holds lock '" + name + "'.");
            return ExitCode.OK;
        }
        console.say("Broke lock '" + name + "', tokens " + broken.get().tokens() + ", held by " + holder
                + ". That process learns of it with its next renewal.");
        console.say("Broken by " + Operator.here(System.getenv()) + " at "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS) + ".");
        return ExitCode.OK;
    }

    private boolean confirmed(Console console, String holder, LockState seen) {
        console.hint("Lock '" + name + "' has been held for " + LockReport.age(seen) + " by " + holder + ".");
        return console.confirmed("The holder goes on working until its next renewal. Break the lock? [y/N]");
    }
}
