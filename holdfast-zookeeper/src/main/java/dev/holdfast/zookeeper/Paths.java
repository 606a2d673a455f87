package dev.holdfast.zookeeper;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Where things are: {@code <base>/<bucket>/<name>/<owner>-<sequence>}. A name is one path element, whatever is in it.
 *
 * <p>Buckets, because a list of children comes in one packet of at most one megabyte: a hundred thousand names under one
 * node could not be listed.
 */
record Paths(String base) {
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final String HEX = "0123456789ABCDEF";

    /** The node of a name: a container, which the server removes some time after its last child. */
    String lock(String name) {
        return base + "/" + bucket(name) + "/" + encode(name);
    }

    String bucket(String name) {
        int hash = name.hashCode();
        int bucket = (hash ^ hash >>> 8 ^ hash >>> 16 ^ hash >>> 24) & 0xff;
        return "" + HEX.charAt(bucket >> 4) + HEX.charAt(bucket & 15);
    }

    /** Bytes of UTF-8; all but letters, digits, dash and underscore as %XX. Dots too: {@code ..} is no path element. */
    static String encode(String name) {
        StringBuilder out = new StringBuilder(name.length() + 16);
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            if (each > 0 && PLAIN.indexOf(each) >= 0) {
                out.append((char) each);
            } else {
                out.append('%').append(HEX.charAt(each >> 4 & 15)).append(HEX.charAt(each & 15));
            }
        }
        return out.toString();
    }

    /** What {@link #encode} was given. */
    static String decode(String element) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(element.length());
        for (int i = 0; i < element.length(); i++) {
            char c = element.charAt(i);
            if (c == '%' && i + 2 < element.length()) {
                out.write(HEX.indexOf(element.charAt(i + 1)) << 4 | HEX.indexOf(element.charAt(i + 2)));
                i += 2;
            } else {
                out.write(c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
