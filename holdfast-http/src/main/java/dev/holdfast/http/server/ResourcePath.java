package dev.holdfast.http.server;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Names a resource by the path of a request: decoded, without a slash at the end. Two spellings of one path have one name, or
 * one of them is refused: with two names a resource would have two guards, and each would accept what the other refuses.
 */
public final class ResourcePath {
    private ResourcePath() {}

    /**
     * The name of a path.
     *
     * @param path as it was sent, without the query: {@code HttpServletRequest.getRequestURI()}
     * @throws IllegalArgumentException if it can be read in more than one way; the message says why
     */
    public static String of(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("The path does not begin with a slash.");
        }
        String[] segments = path.substring(1).split("/", -1);
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < segments.length; i++) {
            String segment = decode(segments[i]);
            boolean last = i == segments.length - 1;
            if (segment.isEmpty() && !last) {
                throw new IllegalArgumentException("The path has an empty segment.");
            }
            requirePlain(segment);
            if (!segment.isEmpty()) {
                name.append('/').append(segment);
            }
        }
        return name.isEmpty() ? "/" : name.toString();
    }

    private static String decode(String segment) {
        ByteBuffer bytes = ByteBuffer.allocate(segment.length());
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                throw new IllegalArgumentException("The path has characters that must be sent percent-encoded.");
            }
            if (c != '%') {
                bytes.put((byte) c);
                continue;
            }
            if (i + 2 >= segment.length()
                    || !HexFormat.isHexDigit(segment.charAt(i + 1))
                    || !HexFormat.isHexDigit(segment.charAt(i + 2))) {
                throw new IllegalArgumentException("A percent sign in the path is not followed by two digits.");
            }
            bytes.put((byte) HexFormat.fromHexDigits(segment, i + 1, i + 3));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("The path is not UTF-8.", e);
        }
    }

    private static void requirePlain(String segment) {
        if (segment.equals(".") || segment.equals("..")) {
            throw new IllegalArgumentException("The path has a dot segment.");
        }
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (Character.isISOControl(c) || c == '/' || c == '\\' || c == ';' || c == '%') {
                throw new IllegalArgumentException(
                        "The path has parameters after a semicolon, or an encoded slash, backslash, semicolon, percent sign or"
                                + " control character: servers differ in how they read it.");
            }
        }
    }
}
