package dev.holdfast.cli;

import dev.holdfast.cli.connect.Operator;
import dev.holdfast.cli.connect.RedlockStore;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "replace-server",
        mixinStandardHelpOptions = true,
        description = {
            "Replaces one server of a quorum. --at or HOLDFAST_URL must be the new list of servers.",
            "Afterwards the old server has no vote, and clients that use the old list are refused. The new server starts to"
                    + " vote after the longest lease; until then the quorum has one vote less."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:not done; the message says why. No lock is held twice, and the command can be repeated",
            "64:the command line is wrong",
            "69:too few servers could be reached; nothing was changed"
        })
final class ReplaceCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Parameters(index = "0", paramLabel = "OLD", description = "The server to remove, as HOST:PORT in the old list.")
    private String old = "";

    @Parameters(index = "1", paramLabel = "NEW", description = "The server to add, as HOST:PORT in the new list.")
    private String replacement = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        if (!(store.open(console) instanceof RedlockStore quorum)) {
            throw new CliException(
                    ExitCode.USAGE, "Only a quorum has servers to replace: --at redlock://HOST:PORT,HOST:PORT,…");
        }
        if (!yes && !confirmed(console)) {
            console.say("Nothing was changed.");
            return ExitCode.NO;
        }
        console.say(StoreSession.namingTheStore(quorum, () -> quorum.replace(old, replacement)));
        console.say("Done by " + Operator.here(System.getenv()) + ".");
        return ExitCode.OK;
    }

    private boolean confirmed(Console console) {
        if (!console.canAsk()) {
            throw new CliException(ExitCode.USAGE, "Not a terminal. Pass --yes to replace " + old + ".");
        }
        console.hint(old + " will have no vote, and every client that still uses the old list will be refused.");
        return console.confirmed("Replace it with " + replacement + "? [y/N]");
    }
}
