package dev.holdfast.zookeeper;

import java.util.regex.Pattern;
import org.apache.zookeeper.common.PathUtils;

/**
 * Where the servers are, and under which of their nodes we live.
 *
 * @param hosts {@code host:port,host:port}
 * @param root a path without an end slash; empty for the top
 */
record Address(String hosts, String root) {
    /** Names, IPv4 and IPv6 addresses, each with a port or without. */
    private static final Pattern HOSTS = Pattern.compile(
            "(?:(?:[\\w.-]+|\\[[\\w:.%]+])(?::\\d{1,5})?)" + "(?:,(?:[\\w.-]+|\\[[\\w:.%]+])(?::\\d{1,5})?)*");

    /**
     * Takes the path off: the library would have us create the node of a chroot by other means, so we do without its
     * chroot and put the path in front ourselves.
     */
    static Address parse(String connectString) {
        int slash = connectString.indexOf('/');
        String hosts = slash < 0 ? connectString : connectString.substring(0, slash);
        String root = slash < 0 ? "" : connectString.substring(slash);
        // Neither is repeated in a message: what looks wrong may be part of a password.
        if (connectString.indexOf('@') >= 0) {
            throw new IllegalArgumentException("A connect string has no user in it: write"
                    + " zookeeper://user:password@host:2181/path, or set digest()");
        }
        if (!HOSTS.matcher(hosts).matches()) {
            throw new IllegalArgumentException("A connect string looks like host:2181,host2:2181/path");
        }
        while (root.endsWith("/")) {
            root = root.substring(0, root.length() - 1);
        }
        if (!root.isEmpty()) {
            validate(root);
        }
        return new Address(hosts, root);
    }

    @SuppressWarnings("UnusedException") // Its message has the path in it.
    private static void validate(String root) {
        try {
            PathUtils.validatePath(root);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The path of a connect string has elements between single slashes, none of"
                            + " them . or .., and no control characters");
        }
    }

    int servers() {
        return hosts.split(",").length;
    }
}
