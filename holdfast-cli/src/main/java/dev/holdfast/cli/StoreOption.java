package dev.holdfast.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the locks are. The same for every command. */
final class StoreOption {
    @Option(
            names = "--at",
            paramLabel = "URL",
            description = {
                "Where the locks are: " + Stores.KNOWN + ".",
                "Default: HOLDFAST_URL, or else a SQLite file in the user's state directory, for the processes of this"
                        + " machine only."
            })
    private @Nullable String at;

    Store open(Console console) {
        return Stores.at(at, System.getenv(), console);
    }
}
