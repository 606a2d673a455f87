package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that say where the guarded data is. There is no default: HOLDFAST_URL names the store of the locks, which is
 * often another one.
 */
public final class GuardOption {
    @Option(
            names = "--at",
            paramLabel = "URL",
            description =
                    "The database or the Redis that holds the guarded data: jdbc:…, sqlite:PATH, redis://HOST:PORT,"
                            + " redis+sentinel://HOST:PORT,…/MASTER or redis+cluster://HOST:PORT,…; with TLS rediss…"
                            + " HOLDFAST_URL is not used: it names the store of the locks.")
    private @Nullable String at;

    @Option(
            names = "--at-file",
            paramLabel = "PATH",
            description = "Read the URL from the first line of this file, because other users can see passwords on a"
                    + " command line. A descriptor works too: --at-file /dev/fd/3.")
    private @Nullable String atFile;

    public Store store() {
        if (at == null && atFile == null) {
            throw new CliException(
                    ExitCode.USAGE,
                    "Where is the guarded data? Pass --at URL or --at-file PATH. HOLDFAST_URL is not used: it names the store"
                            + " of the locks.");
        }
        if (at != null && atFile != null) {
            throw new CliException(ExitCode.USAGE, "Pass --at or --at-file, not both.");
        }
        return StoreUrls.at(at != null ? at : UrlFile.read(String.valueOf(atFile)));
    }
}
