package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name the store, the same for every command. */
public final class StoreOption {
    @Option(
            names = "--at",
            paramLabel = "URL",
            description = {
                "The store that keeps the locks: " + StoreUrls.KNOWN + ".",
                "Default: HOLDFAST_URL; without it a SQLite file of this user, which only processes of this machine"
                        + " share."
            })
    private @Nullable String at;

    @Option(
            names = "--at-file",
            paramLabel = "PATH",
            description =
                    "Read the URL from the first line of this file, because other users can see passwords on a command"
                            + " line. A descriptor works too: --at-file /dev/fd/3. Default: HOLDFAST_URL_FILE.")
    private @Nullable String atFile;

    /** The store, if one was named. The default file needs no preparation. */
    public Store named(Console console) {
        Map<String, String> environment = System.getenv();
        if (at == null
                && atFile == null
                && !environment.containsKey("HOLDFAST_URL")
                && !environment.containsKey("HOLDFAST_URL_FILE")) {
            throw new CliException(ExitCode.USAGE, "No store is given. Pass its URL, or set HOLDFAST_URL.");
        }
        return open(console);
    }

    public Store open(Console console) {
        if (at != null && atFile != null) {
            throw new CliException(ExitCode.USAGE, "Pass --at or --at-file, not both.");
        }
        return StoreUrls.at(atFile == null ? at : UrlFile.read(atFile), System.getenv(), console);
    }
}
