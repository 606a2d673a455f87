package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
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
                "Takes a lock away from its holder. The holder learns of it with its next renewal, and works on until"
                        + " then: break only what is known to be dead, or guard the resource by token.")
final class BreakCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        if (!yes && !console.canAsk()) {
            throw new CliException(
                    ExitCode.USAGE, "There is no terminal to ask on. Say --yes if '" + name + "' is to be broken.");
        }
        return Sessions.with(store.open(console), holdfast -> breakIt(holdfast, console));
    }

    private int breakIt(Holdfast holdfast, Console console) throws InterruptedException {
        Optional<LockState> seen = holdfast.inspect(name);
        if (seen.isEmpty()) {
            console.out().println("Lock '" + name + "' is free: nothing to break.");
            return ExitCode.OK;
        }
        String holder = Console.plain(seen.get().holder().toString());
        if (!yes && !confirmed(console, holder, seen.get())) {
            console.out().println("Nothing was changed.");
            return ExitCode.NO;
        }
        Optional<LockState> broken = holdfast.breakLock(seen.get());
        console.out()
                .println(
                        broken.isPresent()
                                ? "Broke lock '" + name + "', token "
                                        + broken.get().token() + ", held by " + holder
                                        + ". That process learns of it with its next renewal."
                                : "Nothing was broken: " + holder + " no longer holds lock '" + name + "'.");
        return ExitCode.OK;
    }

    private boolean confirmed(Console console, String holder, LockState seen) {
        console.err()
                .print("Lock '" + name + "' has been held for " + States.age(seen) + " by " + holder
                        + ".\nIt works on until its next renewal. Break it? [y/N] ");
        console.err().flush();
        try {
            String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        } catch (IOException e) {
            return false;
        }
    }
}
