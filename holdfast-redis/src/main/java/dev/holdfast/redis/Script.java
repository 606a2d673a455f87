package dev.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The operations at the server, each in a file of its own. A line {@code -- include FILE} stands for what that file says,
 * word for word: a function costs the server time whenever a script comes to it, so what nearly every request needs is
 * none, and what few of them need stands behind what the others do.
 */
enum Script {
    ACQUIRE,
    RELEASE,
    RECLAIM,
    RENEW,
    WITHDRAW,
    HANDOVER,
    DESCRIBE,
    BREAK,
    SCAN,

    QUORUM_ACQUIRE,
    QUORUM_ACQUIRE_BUNDLE,
    QUORUM_RAISE,
    QUORUM_UNDO,
    QUORUM_RELEASE,
    QUORUM_RELEASE_BUNDLE,
    QUORUM_WITHDRAW,
    QUORUM_HANDOVER,
    QUORUM_RENEW,
    QUORUM_DESCRIBE,
    QUORUM_BREAK,
    QUORUM_LOOK,
    QUORUM_MAXLEASE,
    QUORUM_INITIALISE,
    QUORUM_OBSERVE,
    QUORUM_LEDGER,
    QUORUM_ADMIT;

    private static final String INCLUDE = "-- include ";

    private final String source;
    private final String sha;

    Script() {
        source = whole(name().toLowerCase(Locale.ROOT).replace("quorum_", "quorum/"));
        sha = sha1(source);
    }

    String source() {
        return source;
    }

    /** What the server calls it once it has seen the source. */
    String sha() {
        return sha;
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

    static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("The jar is damaged: " + file + ".lua is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
