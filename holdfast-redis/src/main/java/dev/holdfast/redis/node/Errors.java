package dev.holdfast.redis.node;

import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns what went wrong at one server into what core needs to know: proof that nothing happened and trying again may help
 * ({@link NotSentException}), proof that it will not help ({@link RefusedException}), or no proof (anything else). Every
 * message names the server and the remedy.
 */
public final class Errors {
    /** Beside what the scripts call. Every user may say HELLO. */
    private static final List<String> OF_CONNECTIONS = List.of("eval", "evalsha", "info", "subscribe");

    /** Which servers there are, and what comes before a request for a slot that is moving. */
    private static final List<String> OF_CLUSTERS = List.of("asking", "cluster|slots");

    /** Those of one name; a batch has many more. */
    private static final int MOST_KEYS_NAMED = 3;

    private static final Pattern ECHOED = Pattern.compile(
            "(?is)(with args beginning with:|unknown subcommand or wrong number of arguments for|unknown"
                    + " subcommand)(?=.*\\S).*");
    private static final Pattern LINE = Pattern.compile("@?user_script:(\\d+)");
    private static final Pattern QUOTED_COMMAND = Pattern.compile("'([a-z|]+)' command");

    private final String address;
    private final String prefix;
    private final Topology.Kind kind;

    /** Of a server whose locks are its own. */
    public Errors(String address, String prefix) {
        this(address, prefix, Topology.Kind.SINGLE);
    }

    /** @param kind how it stands to other servers */
    public Errors(String address, String prefix, Topology.Kind kind) {
        this.address = address;
        this.prefix = prefix;
        this.kind = kind;
    }

    /** The line that gives a user everything that locking needs, and nothing more. */
    public String aclLine(String user) {
        return "ACL SETUSER " + user + " resetkeys ~" + prefix + "* resetchannels &" + prefix + "* -@all " + commands();
    }

    private String commands() {
        TreeSet<String> all = new TreeSet<>(OF_CONNECTIONS);
        boolean quorum = kind == Topology.Kind.QUORUM;
        if (kind == Topology.Kind.CLUSTER) {
            all.addAll(OF_CLUSTERS);
        }
        for (Script script : Script.values()) {
            if (script.isOfQuorum() == quorum || script == Script.SCAN) {
                all.addAll(script.commands());
            }
        }
        return "+" + String.join(" +", all);
    }

    public NotSentException notConnected(@Nullable Throwable why) {
        String reason = why == null ? "the connection is being restored" : Failures.describe(why);
        return new NotSentException("There is no connection to Redis at " + address + ": " + reason, why);
    }

    /** No proof: the server may have carried the request out, or may still do so. */
    public Exception noAnswer(Duration timeout) {
        return new TimeoutException("Redis at " + address + " has not answered within " + timeout.toMillis() + " ms");
    }

    /** No proof: the connection broke with the request under way. */
    public Exception broken(Throwable cause) {
        return new IOException("The connection to Redis at " + address + " broke: " + Failures.describe(cause), cause);
    }

    /** Whether nothing works without INFO: in a cluster, whether PUBLISH counts its receivers, and whose clock is whose. */
    public boolean needsInfo() {
        return kind == Topology.Kind.CLUSTER;
    }

    /** Why locks cannot be kept there; null if they can. */
    public @Nullable RuntimeException unfit(ServerInfo info) {
        String version = info.identity().version();
        if (ServerInfo.isOlderThanSupported(version)) {
            return tooOld(version);
        }
        if (kind == Topology.Kind.SENTINEL && !info.get("role").equals("master")) {
            return notDone(
                    "The server that sentinels name for " + address + " is not a master yet",
                    "role:" + info.get("role"));
        }
        if (kind == Topology.Kind.CLUSTER && info.identity().countsReceivers()) {
            return new RefusedException(
                    "Redis at " + address + " is not part of a cluster: write redis:// for one server");
        }
        return null;
    }

    private RefusedException partOfCluster() {
        return new RefusedException("Redis at " + address + " is part of a cluster, and keeps only some of the locks: "
                + (kind == Topology.Kind.QUORUM
                        ? "a quorum needs servers that know nothing of each other"
                        : "write redis+cluster:// for a cluster"));
    }

    /**
     * Where a server of a cluster sends us; null if it said something else.
     *
     * @param host of that server
     */
    public @Nullable RedirectException redirect(String error, String host) {
        return kind == Topology.Kind.CLUSTER ? RedirectException.parse(error, host) : null;
    }

    /** Whether this error says that the connection leads to a server that is no master any more, where another one can be found. */
    public boolean isDemotion(String error) {
        return kind == Topology.Kind.SENTINEL && error.startsWith("READONLY");
    }

    public RefusedException tooOld(String version) {
        return new RefusedException("Redis at " + address + " is version " + version
                + "; Holdfast needs 6.2 or later (LPOS, SET with GET). Upgrade the server.");
    }

    /** What the server said to a request that came from us. Of what it repeats of our arguments, nothing is shown: see AUTH. */
    public RuntimeException said(String spoken, @Nullable Script script, String... keys) {
        String error = ECHOED.matcher(spoken).replaceAll("$1 ***");
        String where = "Redis at " + address;
        if (isForbidden(error)) {
            return new RefusedException(
                    where + " does not permit " + forbidden(error, script) + ". Give the user what Holdfast needs: "
                            + aclLine("<user>") + " (the server said: " + error + ")");
        }
        if (error.contains("HOLDFAST-FOREIGN") || error.startsWith("WRONGTYPE")) {
            return new RefusedException(foreign(address, keys) + " (the server said: " + error + ")");
        }
        if (error.contains("HOLDFAST-EXHAUSTED")) {
            return new RefusedException(
                    where + " has a token counter, or a clock, beyond 2^53: set the clock, and delete "
                            + error.replaceAll("(?s).*HOLDFAST-EXHAUSTED (\\S*).*", "$1")
                            + " once no lock of its bucket is held and no resource has seen its tokens");
        }
        if (error.contains("Script killed by user")) {
            return notDone(where + " killed our script before it had written anything", error);
        }
        return byCode(where, error);
    }

    /** Outside a script; inside one before Redis 7.2, and since. */
    private static boolean isForbidden(String error) {
        return error.startsWith("NOPERM")
                || error.contains("The user executing the script can't")
                || error.contains("ACL failure in script");
    }

    private RuntimeException byCode(String where, String error) {
        int end = error.indexOf(' ');
        String code = end < 0 ? error : error.substring(0, end);
        return switch (code) {
            case "NOAUTH", "WRONGPASS" ->
                new RefusedException(where + " does not accept the user or the password: check them in the URL"
                        + " (the server said: " + error + ")");
            case "MOVED", "ASK" -> partOfCluster();
            case "READONLY" ->
                kind == Topology.Kind.SENTINEL
                        ? notDone(where + " is no master any more, the sentinels are asked for the new one", error)
                        : new RefusedException(
                                where + " is a read-only replica: locks need the primary, connect to that one");
            case "OOM" ->
                notDone(where + " is out of memory: raise maxmemory or remove data, no lock can be stored", error);
            case "MISCONF" -> notDone(where + " refuses writes because it cannot save to disk: repair the disk", error);
            case "NOREPLICAS" ->
                notDone(where + " refuses writes because too few replicas are in reach (min-replicas-to-write)", error);
            case "LOADING" -> notDone(where + " is loading its data", error);
            case "BUSY" -> notDone(where + " is busy with somebody's script that runs for long", error);
            case "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN" -> notDone(where + " is not ready", error);
            default -> byText(where, error);
        };
    }

    private static RuntimeException byText(String where, String error) {
        String text = error.toLowerCase(Locale.ROOT);
        if (text.contains("invalid password") || text.contains("without any password configured")) {
            return new RefusedException(where + " does not accept the user or the password: check them in the URL"
                    + " (the server said: " + error + ")");
        }
        if (text.contains("unknown command")) {
            return new RefusedException(where + " does not know a command that Holdfast needs: it is too old, or the"
                    + " command was renamed (the server said: " + error + ")");
        }
        if (text.contains("max number of clients")) {
            return notDone(where + " takes no more connections: raise maxclients", error);
        }
        return new IllegalStateException(where + " failed: " + error);
    }

    /** Where a lock, its queue or its counter should be, there is something else. */
    public static String foreign(String address, String... keys) {
        return "Redis at " + address + " has something under our keys that Holdfast did not write: look at "
                + named(keys) + ", and delete what is foreign or choose another namespace";
    }

    private static String named(String... keys) {
        String first = String.join(", ", List.of(keys).subList(0, Math.min(MOST_KEYS_NAMED, keys.length)));
        return keys.length <= MOST_KEYS_NAMED ? first : first + " and the other " + (keys.length - MOST_KEYS_NAMED);
    }

    private static NotSentException notDone(String what, String error) {
        return new NotSentException(what + " (the server said: " + error + ")", null);
    }

    /** Inside a script the server names the line, not the command. */
    private static String forbidden(String error, @Nullable Script script) {
        Matcher quoted = QUOTED_COMMAND.matcher(error);
        if (quoted.find()) {
            return "the command " + quoted.group(1).toUpperCase(Locale.ROOT);
        }
        String what = error.contains("key") ? "our keys to " : error.contains("channel") ? "our channels to " : "";
        Matcher line = LINE.matcher(error);
        if (script != null && line.find()) {
            String command = script.commandIn(Integer.parseInt(line.group(1)));
            if (!command.isEmpty()) {
                return what + "the command " + command;
            }
        }
        return what.isEmpty() ? "a command" : what.replace(" to ", "");
    }
}
