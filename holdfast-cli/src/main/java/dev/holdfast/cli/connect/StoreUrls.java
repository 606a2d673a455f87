package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the store for a URL. Each kind of store has a class of its own, which is loaded only if it is used: a lock in a file
 * must not wait for the Redis client to load.
 */
public final class StoreUrls {
    /** The URLs that --at accepts, for messages. */
    public static final String KNOWN = "sqlite:PATH, redis://HOST:PORT, redis+sentinel://HOST:PORT,HOST:PORT,…/MASTER,"
            + " redis+cluster://HOST:PORT,HOST:PORT,…, redlock://HOST:PORT,HOST:PORT,…,"
            + " zookeeper://HOST:PORT,HOST:PORT,…/PATH, etcd://HOST:PORT,HOST:PORT,…/NAMESPACE, jdbc:…; with TLS rediss://…, rediss+sentinel://…,"
            + " rediss+cluster://…, redlocks://…, zookeeper+tls://…, etcd+tls://…";

    /** Set in the environment of a command to which HOLDFAST_URL was not passed on. */
    public static final String WITHHELD = "HOLDFAST_URL_WITHHELD";

    private StoreUrls() {}

    /** The store at this URL, or else at HOLDFAST_URL, or else in a file of this user. */
    static Store at(@Nullable String url, Map<String, String> environment, Console console) {
        if (url != null) {
            // Also if it is empty: an unset variable in a script must not lead to locks that nobody else sees.
            return at(url);
        }
        String usual = given("HOLDFAST_URL", environment);
        if (usual != null) {
            return at(usual);
        }
        String file = given("HOLDFAST_URL_FILE", environment);
        if (file != null) {
            return at(UrlFile.read(file));
        }
        if (environment.containsKey(WITHHELD)) {
            // A lock in the file of this user would exclude nobody that the URL was meant for.
            throw new CliException(
                    ExitCode.USAGE,
                    "No store is given: the holdfast run that started this command did not pass HOLDFAST_URL on. Start it"
                            + " with --pass-url, or put the URL into a file and set HOLDFAST_URL_FILE.");
        }
        return ofThisUser(environment, console);
    }

    /** An empty variable is a mistake in a deployment: the file of this user would exclude nobody on other machines. */
    private static @Nullable String given(String variable, Map<String, String> environment) {
        String value = environment.get(variable);
        if (value != null && value.isBlank()) {
            throw new CliException(
                    ExitCode.USAGE,
                    variable + " is set, but empty. Give it a value, or unset it to use the file of this user.");
        }
        return value;
    }

    public static Store at(String url) {
        Passwords.remember(url);
        int colon = url.indexOf(':');
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        return switch (scheme) {
            case "sqlite" -> SqliteStore.of(url, url.substring(colon + 1));
            case "redis", "rediss", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster" ->
                new RedisStore(url);
            case "redlock", "redlocks" -> new RedlockStore(url);
            case "zookeeper", "zookeeper+tls" -> new ZooKeeperStore(url);
            case "etcd", "etcd+tls" -> new EtcdStore(url);
            case "jdbc" -> new JdbcStore(url);
            // The rest is not repeated: where the scheme is wrong, nobody can say where the password stands.
            case "" ->
                throw new CliException(ExitCode.USAGE, "This is not the URL of a store. Known URLs: " + KNOWN + ".");
            default ->
                throw new CliException(
                        ExitCode.USAGE, "Unknown kind of store: '" + scheme + ":…'. Known URLs: " + KNOWN + ".");
        };
    }

    private static Store ofThisUser(Map<String, String> environment, Console console) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        // The specification of these directories: a relative path is to be ignored.
        Path base =
                Path.of(state).isAbsolute() ? Path.of(state) : home(environment).resolve(".local/state");
        Path file = base.resolve("holdfast").resolve("locks.db");
        if (!Files.exists(file)) {
            SqliteStore.createDirectory(file);
            console.note("Created the lock file " + file + ". Only processes of this machine share it."
                    + " For several machines pass --at URL or set HOLDFAST_URL.");
        }
        return new SqliteStore("sqlite:" + file, file);
    }

    /** HOME, as everybody else reads it; without it what the system knows of this user, who may be unknown to it. */
    private static Path home(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        String known = home.isEmpty() ? System.getProperty("user.home", "") : home;
        if (!Path.of(known).isAbsolute()) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "There is no directory for the lock file: HOME is not set, and the system knows no home directory of this"
                            + " user. Pass --at URL, or set HOME, XDG_STATE_HOME or HOLDFAST_URL.");
        }
        return Path.of(known);
    }
}
