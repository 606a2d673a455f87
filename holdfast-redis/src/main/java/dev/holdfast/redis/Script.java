package dev.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The operations at the server, each in a file of its own behind what they share. */
enum Script {
    ACQUIRE,
    RELEASE,
    RECLAIM,
    RENEW,
    WITHDRAW,
    HANDOVER,
    DESCRIBE,
    BREAK,
    SCAN;

    private final String source;
    private final String sha;

    Script() {
        source = read("common") + "\n" + read(name().toLowerCase(Locale.ROOT));
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
