package dev.holdfast.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code redlock://user:password@host:port,host:port,…/database}, and what a list of servers must be. */
final class RedlockUrl {
    private static final String SCHEME = "redlock://";
    private static final int FEWEST = 3;
    private static final int MOST = 255;

    private RedlockUrl() {}

    /** One URL of a Redis server for each of them. */
    static List<String> parse(String url) {
        if (!url.startsWith(SCHEME)) {
            // Not with the URL: it may hold a password.
            throw new IllegalArgumentException(
                    "This is not the URL of a quorum; it should look like redlock://a:6379,b:6379,c:6379");
        }
        String rest = url.substring(SCHEME.length());
        int at = rest.lastIndexOf('@');
        String login = rest.substring(0, at + 1);
        int slash = rest.indexOf('/', at + 1);
        String tail = slash < 0 ? "" : rest.substring(slash);
        String hosts = rest.substring(at + 1, slash < 0 ? rest.length() : slash);
        List<String> urls = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            if (host.isBlank()) {
                throw new IllegalArgumentException("There is an empty address between the commas of " + hosts);
            }
            urls.add("redis://" + login + host.strip() + tail);
        }
        return urls;
    }

    static List<String> requireSeveral(List<String> urls) {
        if (urls.size() < FEWEST) {
            throw new IllegalArgumentException("A quorum needs at least three servers, these are " + urls.size()
                    + ": with fewer, no server may fail, and RedisBackend does the same with one");
        }
        if (urls.size() > MOST) {
            throw new IllegalArgumentException("A quorum has at most " + MOST + " servers, these are " + urls.size()
                    + ": every lock is a request to each of them, and five survive the loss of any two");
        }
        Set<String> seen = new HashSet<>();
        for (String url : urls) {
            String address = LettuceClients.address(url);
            if (!seen.add(address)) {
                throw new IllegalArgumentException(
                        "The server " + address + " is listed twice: one server has one vote. Leave one of them out");
            }
        }
        return List.copyOf(urls);
    }
}
