package dev.holdfast.cli;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        description =
                "Makes a new store ready: creates the tables or the file, lets the servers of a quorum vote. States that no"
                        + " lease can exist there yet;"
                        + " refuses where something is already there.")
final class InitCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "URL", description = "Where the locks will be: " + Stores.KNOWN + ".")
    private String url = "";

    @Override
    public Integer call() {
        Store store = Stores.at(url);
        try {
            Console.system().out().println(store.initialise());
            return ExitCode.OK;
        } catch (HoldfastException | NotSentException | RefusedException e) {
            throw Sessions.unavailable(store, e);
        }
    }
}
