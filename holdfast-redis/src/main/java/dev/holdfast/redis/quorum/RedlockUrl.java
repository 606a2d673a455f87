package dev.holdfast.redis.quorum;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code redlock://user:password@host:port,host:port,…/database}, {@code redlocks://…} for TLS, and what a list of servers
 * must be. No message shows the URL: it may hold a password, in any of its parts where it was written wrongly.
 */
public final class RedlockUrl {
    private static final String PLAIN = "redlock://";
    private static final String TLS = "redlocks://";
    static final int FEWEST = 3;

    private RedlockUrl() {}

    /** One URL of a Redis server for each of them. */
    public static List<String> parse(String url) {
        boolean tls = url.startsWith(TLS);
        if (!tls && !url.startsWith(PLAIN)) {
            throw new IllegalArgumentException("This is not the URL of a quorum; it should look like"
                    + " redlock://a:6379,b:6379,c:6379, or redlocks://… for TLS");
        }
        String rest = url.substring(tls ? TLS.length() : PLAIN.length());
        int at = rest.lastIndexOf('@');
        String login = rest.substring(0, Math.max(0, at));
        if (login.matches("(?s).*@.*,.*")) {
            throw oneLogin();
        }
        int slash = rest.indexOf('/', at + 1);
        String tail = slash < 0 ? "" : rest.substring(slash);
        String hosts = rest.substring(at + 1, slash < 0 ? rest.length() : slash);
        List<String> urls = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            if (host.isBlank()) {
                throw new IllegalArgumentException("Address number " + (urls.size() + 1)
                        + " of the quorum is empty: look at the commas of its URL");
            }
            urls.add((tls ? "rediss://" : "redis://") + login + (at < 0 ? "" : "@") + host.strip() + tail);
        }
        if (urls.size() < FEWEST && login.indexOf(',') >= 0) {
            throw oneLogin();
        }
        return urls;
    }

    /** What is before the last '@' reads like addresses with a login each. */
    private static IllegalArgumentException oneLogin() {
        return new IllegalArgumentException(
                "In the URL of a quorum an address, or a comma, stands before the last '@'. One"
                        + " user and password stand for all servers, and are written once:"
                        + " redlock://user:password@a:6379,b:6379,c:6379. Where servers have different ones, give a list with the"
                        + " URL of each to RedlockBackend.builder. A ',' or '@' in a password is written as %2C or %40");
    }
}
