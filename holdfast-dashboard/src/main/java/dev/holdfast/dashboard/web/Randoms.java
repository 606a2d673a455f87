package dev.holdfast.dashboard.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Secrets that nobody guesses, and their comparison. */
final class Randoms {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Randoms() {}

    /** 256 bits, in characters that are safe in URLs and cookies. */
    static String secret() {
        byte[] drawn = new byte[32];
        RANDOM.nextBytes(drawn);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(drawn);
    }

    /** What is kept of a secret: a dump of the memory does not show it, and equal lengths compare in equal time. */
    static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    static String digestText(String secret) {
        return Base64.getEncoder().encodeToString(digest(secret));
    }

    /** In a time that does not depend on where they differ. */
    static boolean same(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }
}
