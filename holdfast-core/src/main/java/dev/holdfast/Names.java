package dev.holdfast;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** What a lock may be called: 1 to 512 bytes of UTF-8 without control characters. */
final class Names {
    private static final int MOST_BYTES = 512;

    private Names() {}

    static String require(String name) {
        Objects.requireNonNull(name, "The lock name must not be null");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("The lock name must not be empty");
        }
        if (!isPlainAscii(name)) {
            requireEncodable(name);
        } else if (name.length() > MOST_BYTES) {
            throw tooLong(name, name.length());
        }
        return name;
    }

    /** Most names are, and for them length is the only question. */
    private static boolean isPlainAscii(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return true;
    }

    private static void requireEncodable(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                throw new IllegalArgumentException(String.format(
                        "The lock name has a control character (U+%04X) at position %d: a name must be printable, because"
                                + " operators read it in keys, logs and on the command line",
                        (int) name.charAt(i), i));
            }
        }
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "The lock name has half a surrogate pair and cannot be written as UTF-8: two such names could become"
                            + " the same lock",
                    e);
        }
        if (bytes > MOST_BYTES) {
            throw tooLong(name, bytes);
        }
    }

    private static IllegalArgumentException tooLong(String name, int bytes) {
        return new IllegalArgumentException(
                "The lock name has " + bytes + " bytes of UTF-8, " + MOST_BYTES + " are allowed; it begins with '"
                        + name.substring(0, 40) + "'. Use an id or a hash of what is locked.");
    }
}
