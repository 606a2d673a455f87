package dev.holdfast.zookeeper;

import org.apache.zookeeper.common.PathUtils;

/**
 * Where the servers are, and under which of their nodes we live.
 *
 * @param hosts {@code host:port,host:port}
 * @param root a path without an end slash; empty for the top
 */
record Address(String hosts, String root) {
    /**
     * Takes the path off: the library would have us create the node of a chroot by other means, so we do without its
     * chroot and put the path in front ourselves.
     */
    static Address parse(String connectString) {
        int slash = connectString.indexOf('/');
        String hosts = slash < 0 ? connectString : connectString.substring(0, slash);
        String root = slash < 0 ? "" : connectString.substring(slash);
        if (hosts.isBlank() || hosts.contains(" ")) {
            throw new IllegalArgumentException(
                    "A connect string looks like host:2181,host2:2181/path, not like '" + connectString + "'");
        }
        while (root.endsWith("/")) {
            root = root.substring(0, root.length() - 1);
        }
        if (!root.isEmpty()) {
            PathUtils.validatePath(root);
        }
        return new Address(hosts, root);
    }

    int servers() {
        return hosts.split(",").length;
    }
}
