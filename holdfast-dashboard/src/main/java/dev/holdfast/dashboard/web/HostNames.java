package dev.holdfast.dashboard.web;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names that this site is called by. A page of somebody else can let its own name lead to our address (DNS rebinding), and then
 * the browser takes us for that page; but the request still says that name. An address in place of a name cannot be made to lead
 * elsewhere. Immutable.
 */
public final class HostNames {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]*[a-z0-9])?");
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\]");

    private static final String LOCAL = "localhost";

    private final Set<String> given;

    private HostNames(Set<String> given) {
        this.given = given;
    }

    /** This machine's own name for itself, and addresses. With any port: a tunnel may lead here from another one. */
    public static HostNames local() {
        return new HostNames(Set.of());
    }

    /**
     * These, and this name: of a proxy, for instance.
     *
     * @throws IllegalArgumentException if it is not the name of a host, without a scheme and a port
     */
    public HostNames and(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!NAME.matcher(lower).matches()) {
            throw new IllegalArgumentException("This is not the name of a host: '" + name
                    + "'. Give it as it stands in the browser's address line, without a scheme and a port.");
        }
        Set<String> more = new HashSet<>(given);
        more.add(lower);
        return new HostNames(Set.copyOf(more));
    }

    /** @param authority {@code host} or {@code host:port}, as in the header Host */
    boolean include(String authority) {
        String host = host(authority);
        return host.equals(LOCAL)
                || given.contains(host)
                || ADDRESS.matcher(host).matches();
    }

    /** Whether it is a name that was given: not one of those that every machine has. */
    boolean wasGiven(String authority) {
        return given.contains(host(authority));
    }

    private static String host(String authority) {
        String lower = authority.toLowerCase(Locale.ROOT);
        int port = lower.lastIndexOf(':');
        return port > lower.lastIndexOf(']') ? lower.substring(0, port) : lower;
    }
}
