package dev.holdfast.redis.node;

/** Where a server listens. */
public record ServerAddress(String host, int port) {
    /**
     * As servers write it: {@code host:port}. The port comes after the last colon, because the address of an IPv6 host has colons,
     * too; what comes after an {@code @} is a port for servers only.
     *
     * @throws IllegalArgumentException if there is no port
     */
    public static ServerAddress parse(String text) {
        String address = text.indexOf('@') < 0 ? text : text.substring(0, text.indexOf('@'));
        int colon = address.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("This is not host:port: " + text);
        }
        return new ServerAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
