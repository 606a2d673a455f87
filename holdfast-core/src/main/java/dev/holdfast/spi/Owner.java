package dev.holdfast.spi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The unguessable id of one tenure, or of the claim for it. Never of a thread or a process, and never used twice: this
 * is what makes every backend operation harmless when it is sent again.
 *
 * <p>Two longs and not a string, because a process may hold a hundred thousand of them.
 */
public record Owner(long high, long low) {
    private static final char[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".toCharArray();
    private static final int LENGTH = 22;

    /** A new owner. The generator must be a secure one outside of tests and simulations. */
    public static Owner random(RandomGenerator random) {
        return random(random, 0);
    }

    /**
     * A new owner of a client whose connection the store marked so ({@link LockBackend#connectionMark}). Two copies of one
     * memory draw the same random numbers; the mark of their connections keeps their owners apart.
     */
    public static Owner random(RandomGenerator random, long connectionMark) {
        // All of it at once: asking the system is what costs.
        byte[] drawn = new byte[2 * Long.BYTES];
        random.nextBytes(drawn);
        ByteBuffer halves = ByteBuffer.wrap(drawn).order(ByteOrder.LITTLE_ENDIAN);
        // Adding is one-to-one: different marks give different owners, and a secret plus a known number is as secret.
        return new Owner(halves.getLong(), halves.getLong() + connectionMark);
    }

    /** By hand: the generated method is linked at its first use, 30 ms in a process that has waited for just that grant. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Owner that && high == that.high && low == that.low;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high ^ low);
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if the text is not an owner
     */
    public static Owner parse(String text) {
        if (text.length() != LENGTH) {
            throw new IllegalArgumentException(
                    "An owner has " + LENGTH + " characters, this has " + text.length() + ": " + text);
        }
        return new Owner(parseHalf(text, 0), parseHalf(text, LENGTH / 2));
    }

    /** 22 characters that are safe in keys, paths and URLs: eleven for each half. */
    @Override
    public String toString() {
        char[] out = new char[LENGTH];
        write(high, out, 0);
        write(low, out, LENGTH / 2);
        return new String(out);
    }

    private static void write(long half, char[] out, int at) {
        for (int i = LENGTH / 2 - 1; i >= 0; i--) {
            out[at + i] = ALPHABET[(int) (half & 63)];
            half >>>= 6;
        }
    }

    private static long parseHalf(String text, int at) {
        long half = 0;
        for (int i = 0; i < LENGTH / 2; i++) {
            half = half << 6 | digit(text, at + i);
        }
        return half;
    }

    private static int digit(String text, int index) {
        char c = text.charAt(index);
        if (c >= 'A' && c <= 'Z') {
            return c - 'A';
        }
        if (c >= 'a' && c <= 'z') {
            return c - 'a' + 26;
        }
        if (c >= '0' && c <= '9') {
            return c - '0' + 52;
        }
        if (c == '-' || c == '_') {
            return c == '-' ? 62 : 63;
        }
        throw new IllegalArgumentException("Not a character of an owner: '" + c + "' in " + text);
    }
}
