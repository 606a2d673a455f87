package dev.holdfast.cli;

import dev.holdfast.cli.connect.Store;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.connect.StoreUrls;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        description =
                "Prepares a new store: creates the tables or the file, or lets the servers of a quorum vote at once. Only for"
                        + " a store where no lock can be held yet. Changes nothing if the store is already prepared.")
final class InitCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "URL",
            description = "The store to prepare: " + StoreUrls.KNOWN
                    + ". Default: --at, --at-file, HOLDFAST_URL or HOLDFAST_URL_FILE.")
    private @Nullable String url;

    @Override
    public Integer call() throws InterruptedException {
        Store place = url == null ? store.named(Console.system()) : StoreUrls.at(url);
        Console.system().say(StoreSession.namingTheStore(place, place::initialise));
        return ExitCode.OK;
    }
}
