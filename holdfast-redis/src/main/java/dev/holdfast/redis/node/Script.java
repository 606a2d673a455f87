package dev.holdfast.redis.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The operations at the server, each in a file of its own. A line {@code -- include FILE} stands for what that file says,
 * word for word: a function costs the server time whenever a script comes to it, so what nearly every request needs is
 * none, and what few of them need stands behind what the others do.
 */
public enum Script {
    ACQUIRE,
    RELEASE,
    RELEASE_LATER,
    RECLAIM,
    RENEW,
    WITHDRAW,
    HANDOVER,
    LOOK,
    DESCRIBE,
    BREAK,
    SCAN,

    SEMAPHORE_ACQUIRE,
    SEMAPHORE_RELEASE,
    SEMAPHORE_RELEASE_LATER,
    SEMAPHORE_RENEW,
    SEMAPHORE_WITHDRAW,
    SEMAPHORE_HANDOVER,
    SEMAPHORE_LOOK,
    SEMAPHORE_DESCRIBE,
    SEMAPHORE_BREAK,

    RW_ACQUIRE,
    RW_RELEASE,
    RW_RELEASE_LATER,
    RW_RENEW,
    RW_WITHDRAW,
    RW_HANDOVER,
    RW_LOOK,
    RW_DESCRIBE,
    RW_BREAK,

    QUORUM_SUGGEST,
    QUORUM_ACQUIRE,
    QUORUM_ACQUIRE_BATCH,
    QUORUM_RAISE,
    QUORUM_UNDO,
    QUORUM_RELEASE,
    QUORUM_RELEASE_BATCH,
    QUORUM_RELEASE_LATER,
    QUORUM_WITHDRAW,
    QUORUM_WITHDRAW_SLOTS,
    QUORUM_HANDOVER,
    QUORUM_RENEW,
    QUORUM_DESCRIBE,
    QUORUM_BREAK,
    QUORUM_LOOK,
    QUORUM_MAXLEASE,
    QUORUM_INITIALISE,
    QUORUM_RESERVE,
    QUORUM_REPLACE,
    QUORUM_SUSPEND,
    QUORUM_OBSERVE,
    QUORUM_LEDGER,
    QUORUM_ADMIT;

    private static final Pattern CALL = Pattern.compile("redis\\.call(?:\\(|, )'([A-Z]+)'");
    private static final String INCLUDE = "-- include ";
    private static final String FOLDER = "/dev/holdfast/redis/";

    private final String source;
    private final String sha;

    Script() {
        source = whole(name().toLowerCase(Locale.ROOT).replaceFirst("^(quorum|semaphore|rw)_", "$1/"));
        sha = sha1(source);
    }

    public String source() {
        return source;
    }

    /** What the server calls it once it has seen the source. */
    public String sha() {
        return sha;
    }

    /** Whether it belongs to the protocol over several servers. */
    boolean isOfQuorum() {
        return name().startsWith("QUORUM_");
    }

    /** The commands that it calls at the server, as an ACL names them. */
    Set<String> commands() {
        return CALL.matcher(source)
                .results()
                .map(call -> call.group(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /**
     * The commands that a line calls, the lines counted from one as the server does; empty if it calls none. Which of two was
     * refused the server does not say.
     */
    String commandIn(int number) {
        return CALL.matcher(line(number))
                .results()
                .map(call -> call.group(1))
                .distinct()
                .collect(Collectors.joining(" or "));
    }

    /** The text of a line, counted from one as the server does; empty if there is none. */
    String line(int number) {
        return source.lines().skip(number - 1L).findFirst().orElse("");
    }

    private static String whole(String file) {
        return read(file)
                .lines()
                .map(line -> line.strip().startsWith(INCLUDE)
                        ? whole(line.strip().substring(INCLUDE.length()))
                        : line + "\n")
                .collect(Collectors.joining());
    }

    public static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(FOLDER + file + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("The jar is damaged: " + file + ".lua is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
