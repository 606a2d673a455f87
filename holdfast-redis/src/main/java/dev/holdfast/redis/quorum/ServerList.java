package dev.holdfast.redis.quorum;

import dev.holdfast.redis.lettuce.LettuceClients;
import dev.holdfast.redis.lettuce.ServerUrl;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.RedisURI;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The servers of a quorum, by name. Majorities of different lists need not share a server, so every server keeps the list it
 * belongs to, and serves only clients with that list. The order does not matter.
 *
 * <p>A server's name is its address, as host and port, unless the client gives another: {@code name=host:port}. That is for
 * clients that reach a server under another address than the rest does.
 */
public final class ServerList {
    private static final Pattern NAMED = Pattern.compile("^([^=/?]+)=(.*)$", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("[^\\s,=/@]{1,128}");
    private static final int DIGEST_LENGTH = 16;
    private static final int MOST = 255;

    private final List<String> names;
    private final String text;
    private final String digest;

    private ServerList(List<String> names) {
        this.names = List.copyOf(names);
        this.text = String.join(",", names.stream().sorted().toList());
        this.digest = Script.sha1(text).substring(0, DIGEST_LENGTH);
    }

    /** In the order in which the client has them. */
    public static ServerList of(List<String> names) {
        List<String> canonical = names.stream().map(ServerList::canonical).toList();
        Set<String> seen = new HashSet<>();
        for (String name : canonical) {
            if (!seen.add(name)) {
                throw new IllegalArgumentException(
                        "The server " + name + " is listed twice: one server has one vote. Leave one of them out");
            }
        }
        return new ServerList(canonical);
    }

    /** So many as make sense for a quorum. */
    public ServerList requireSeveral() {
        if (size() < RedlockUrl.FEWEST) {
            throw new IllegalArgumentException("A quorum needs at least three servers, these are " + size()
                    + ": with fewer, no server may fail, and RedisBackend does the same with one");
        }
        if (size() > MOST) {
            throw new IllegalArgumentException("A quorum has at most " + MOST + " servers, these are " + size()
                    + ": every lock is a request to each of them, and five survive the loss of any two");
        }
        return this;
    }

    public List<String> names() {
        return names;
    }

    int size() {
        return names.size();
    }

    /** All names, sorted: what the servers keep. */
    public String text() {
        return text;
    }

    /** Stands for the list in every request. */
    String digest() {
        return digest;
    }

    /** The same with one server in the place of another. */
    ServerList with(String old, String replacement) {
        List<String> changed = new ArrayList<>(names);
        changed.replaceAll(name -> name.equals(old) ? canonical(replacement) : name);
        return of(changed);
    }

    // ---- comparing

    /** What to tell somebody whose list is not the one that the servers know. */
    String difference(String known) {
        List<String> theirs = known.isEmpty() ? List.of() : List.of(known.split(","));
        List<String> onlyTheirs =
                theirs.stream().filter(name -> !names.contains(name)).toList();
        List<String> onlyOurs =
                names.stream().filter(name -> !theirs.contains(name)).toList();
        StringBuilder difference = new StringBuilder("The quorum is bound to another list of servers.");
        if (!onlyTheirs.isEmpty()) {
            difference
                    .append(" It has ")
                    .append(String.join(", ", onlyTheirs))
                    .append(", which this client does not list.");
        }
        if (!onlyOurs.isEmpty()) {
            difference
                    .append(" This client lists ")
                    .append(String.join(", ", onlyOurs))
                    .append(", which the quorum does not have.");
        }
        return difference
                .append(
                        " Two lists can have two majorities, so this client gets no votes. Give every client the same list;"
                                + " if these are other addresses of the same servers, say which: name=address."
                                + " Replacing a server is a step of its own: holdfast replace-server OLD NEW, or"
                                + " RedlockBackend.Builder.replaceServer")
                .toString();
    }

    // ---- names

    /** One way to write what is often written in several. Nothing is looked up: that differs from place to place. */
    public static String canonical(String name) {
        String lower = name.strip().toLowerCase(Locale.ROOT);
        if (!NAME.matcher(lower).matches()) {
            throw new IllegalArgumentException(
                    "A server of a quorum has a name of 1 to 128 characters without spaces, commas,"
                            + " slashes, '=' and '@': '" + name + "'");
        }
        int colon = lower.lastIndexOf(':');
        if (colon < 0) {
            return lower;
        }
        return host(lower.substring(0, colon)) + lower.substring(colon);
    }

    private static String host(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        if (bare.indexOf(':') >= 0) {
            try {
                // A number, so nobody is asked.
                return "[" + InetAddress.getByName(bare).getHostAddress() + "]";
            } catch (UnknownHostException noAddress) {
                return host;
            }
        }
        if (bare.equals("localhost")) {
            return "127.0.0.1";
        }
        return bare.endsWith(".") ? bare.substring(0, bare.length() - 1) : bare;
    }

    // ---- what users write

    /** URLs of single servers, each perhaps with a name before it: {@code name=redis://host:port}. */
    public static ServerList ofUrls(List<String> urls) {
        List<String> names = new ArrayList<>();
        for (String url : urls) {
            var named = NAMED.matcher(url);
            names.add(named.matches() ? named.group(1) : address(ServerUrl.parse(url)));
        }
        return of(names);
    }

    /** Those go by their addresses. */
    public static ServerList ofUris(List<RedisURI> servers) {
        return of(servers.stream().map(ServerList::address).toList());
    }

    private static String address(RedisURI uri) {
        return LettuceClients.address(uri).replace(' ', '_').replace('/', '_');
    }

    /** The addresses, without the names. */
    public static List<RedisURI> urisOf(List<String> urls) {
        return bare(urls).stream().map(ServerUrl::parse).toList();
    }

    /** The same URLs without the names. */
    public static List<String> bare(List<String> urls) {
        return urls.stream().map(ServerList::bare).toList();
    }

    private static String bare(String url) {
        var named = NAMED.matcher(url);
        return named.matches() ? named.group(2) : url;
    }

    /** One URL for each server of a quorum's URL, with their names. */
    public static List<String> parse(String url) {
        int from = Math.max(url.lastIndexOf('@') + 1, url.indexOf("://") + "://".length());
        int to = from;
        while (to < url.length() && "/?".indexOf(url.charAt(to)) < 0) {
            to++;
        }
        List<String> hosts = List.of(url.substring(from, to).split(",", -1));
        List<String> addresses = bare(hosts.stream().map(String::strip).toList());
        List<String> urls = RedlockUrl.parse(url.substring(0, from) + String.join(",", addresses) + url.substring(to));
        List<String> named = new ArrayList<>();
        for (int i = 0; i < urls.size(); i++) {
            var name = NAMED.matcher(hosts.get(i).strip());
            named.add(name.matches() ? name.group(1) + "=" + urls.get(i) : urls.get(i));
        }
        return named;
    }
}
