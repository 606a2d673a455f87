package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Topology;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where locks are kept in Redis: one server, the master that sentinels name, or a cluster. */
public final class RedisAddress {
    private static final String SENTINEL = "+sentinel";
    private static final String CLUSTER = "+cluster";
    private static final int SENTINEL_PORT = 26_379;
    private static final long USUAL_WAIT_MILLIS = 500;

    private final List<RedisURI> servers;
    private final boolean cluster;
    private final @Nullable Confirmation confirmation;

    private RedisAddress(List<RedisURI> servers, boolean cluster, @Nullable Confirmation confirmation) {
        this.servers = servers;
        this.cluster = cluster;
        this.confirmation = confirmation;
    }

    /** One server, or the sentinels in this URI. */
    public static RedisAddress of(RedisURI uri) {
        return new RedisAddress(List.of(uri), false, null);
    }

    /** The cluster of this client, at the addresses and with the login and the TLS that it was given. */
    public static RedisAddress of(RedisClusterClient client) {
        return new RedisAddress(given(client), true, null);
    }

    /** Kept from users by Lettuce. The addresses that it shows come from the cluster: they have no login and know no TLS. */
    private static List<RedisURI> given(RedisClusterClient client) {
        List<RedisURI> servers = new ArrayList<>();
        try {
            Method initialUris = RedisClusterClient.class.getDeclaredMethod("getInitialUris");
            initialUris.setAccessible(true);
            for (Object uri : (Iterable<?>) initialUris.invoke(client)) {
                servers.add((RedisURI) uri);
            }
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "This RedisClusterClient does not tell which servers and login it was given. Use the URL of the cluster:"
                            + " redis+cluster://host:6379,host:6379",
                    e);
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("This RedisClusterClient was given no server of its cluster");
        }
        return servers;
    }

    /** No message shows a part of the URL that may be a password. */
    public static RedisAddress parse(String url) {
        int end = url.indexOf("://");
        String scheme = end < 0 ? "" : url.substring(0, end);
        int query = url.lastIndexOf('?');
        Map<String, String> ours = new LinkedHashMap<>();
        String plain = query < 0 ? url : url.substring(0, query) + others(url.substring(query + 1), ours);
        Confirmation confirmation = confirmation(ours);
        if (scheme.endsWith(SENTINEL)) {
            return new RedisAddress(
                    List.of(sentinels(scheme, plain, ours.get("sentinelPassword"))), false, confirmation);
        }
        if (ours.containsKey("sentinelPassword")) {
            throw new IllegalArgumentException("sentinelPassword is for redis+sentinel:// only");
        }
        if (scheme.endsWith(CLUSTER)) {
            return new RedisAddress(cluster(scheme, plain), true, confirmation);
        }
        return new RedisAddress(List.of(ServerUrl.parse(plain)), false, confirmation);
    }

    /** Parameters that Lettuce does not know are taken out. */
    private static String others(String query, Map<String, String> ours) {
        List<String> others = new ArrayList<>();
        for (String parameter : query.split("&", -1)) {
            String[] pair = parameter.split("=", 2);
            if (List.of("sentinelPassword", "waitForReplicas", "waitForDisk", "waitMillis")
                    .contains(pair[0])) {
                ours.put(pair[0], pair.length < 2 ? "" : pair[1]);
            } else {
                others.add(parameter);
            }
        }
        return others.isEmpty() ? "" : "?" + String.join("&", others);
    }

    private static @Nullable Confirmation confirmation(Map<String, String> parameters) {
        boolean replicas = parameters.containsKey("waitForReplicas");
        boolean disk = parameters.containsKey("waitForDisk");
        if (replicas && disk) {
            throw new IllegalArgumentException(
                    "waitForReplicas and waitForDisk exclude each other: the latter has both");
        }
        if (!replicas && !disk) {
            if (parameters.containsKey("waitMillis")) {
                throw new IllegalArgumentException("waitMillis goes with waitForReplicas or waitForDisk");
            }
            return null;
        }
        long number = number(parameters, disk ? "waitForDisk" : "waitForReplicas", disk ? 0 : 1, 100);
        long millis =
                parameters.containsKey("waitMillis") ? number(parameters, "waitMillis", 10, 60_000) : USUAL_WAIT_MILLIS;
        return new Confirmation((int) number, disk, Duration.ofMillis(millis));
    }

    private static long number(Map<String, String> parameters, String name, long least, long most) {
        String text = parameters.getOrDefault(name, "");
        if (!text.matches("\\d{1,9}") || Long.parseLong(text) < least || Long.parseLong(text) > most) {
            throw new IllegalArgumentException(name + " in the URL must be a number from " + least + " to " + most);
        }
        return Long.parseLong(text);
    }

    // ---- several hosts

    /** {@code scheme://login@hosts/path?query}, taken apart. */
    private record Parts(String scheme, String login, List<String> hosts, String path, String query) {
        static Parts of(String scheme, String topology, String url) {
            String rest = url.substring(scheme.length() + "://".length());
            int at = rest.lastIndexOf('@');
            int question = rest.indexOf('?', at + 1);
            String query = question < 0 ? "" : rest.substring(question);
            String before = question < 0 ? rest : rest.substring(0, question);
            int slash = before.indexOf('/', at + 1);
            String path = slash < 0 ? "" : before.substring(slash + 1);
            List<String> hosts = List.of(before.substring(at + 1, slash < 0 ? before.length() : slash)
                    .split(",", -1));
            if (hosts.stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException("An address in the URL is empty: look at its commas");
            }
            String single = scheme.substring(0, scheme.length() - topology.length());
            if (!single.equals("redis") && !single.equals("rediss")) {
                throw new IllegalArgumentException(
                        "Write redis" + topology + "://, or rediss" + topology + ":// for TLS");
            }
            return new Parts(single, at < 0 ? "" : rest.substring(0, at + 1), hosts, path, query);
        }

        RedisURI server(String host, String database) {
            return ServerUrl.parse(
                    scheme + "://" + login + host.strip() + (database.isEmpty() ? "" : "/" + database) + query);
        }
    }

    private static List<RedisURI> cluster(String scheme, String url) {
        Parts parts = Parts.of(scheme, CLUSTER, url);
        if (!parts.path().isEmpty() && !parts.path().equals("0")) {
            throw new IllegalArgumentException("A cluster has one database: leave out what comes after the addresses");
        }
        List<RedisURI> servers =
                parts.hosts().stream().map(host -> parts.server(host, "")).toList();
        if (servers.get(0).getDatabase() != 0) {
            throw new IllegalArgumentException("A cluster has one database: leave the number of another one out");
        }
        return servers;
    }

    private static RedisURI sentinels(String scheme, String url, @Nullable String password) {
        Parts parts = Parts.of(scheme, SENTINEL, url);
        if (parts.path().isEmpty() || parts.path().contains("/")) {
            throw new IllegalArgumentException("The name of the master comes after the sentinels:"
                    + " redis+sentinel://host:26379,host:26379/master");
        }
        RedisURI master = parts.server("master", "");
        RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(parts.path());
        for (String host : parts.hosts()) {
            boolean hasPort = host.strip().matches(".*:\\d+");
            RedisURI sentinel =
                    ServerUrl.parse(parts.scheme() + "://" + host.strip() + (hasPort ? "" : ":" + SENTINEL_PORT));
            if (password != null) {
                String decoded = decoded(password);
                sentinel.setCredentialsProvider(
                        RedisCredentialsProvider.from(() -> RedisCredentials.just(null, decoded)));
            }
            sentinel.setVerifyPeer(master.getVerifyMode());
            builder.withSentinel(sentinel);
        }
        RedisURI uri = builder.withSsl(master.isSsl())
                .withVerifyPeer(master.getVerifyMode())
                .withDatabase(master.getDatabase())
                // Lettuce gives it to the sentinels too.
                .withTimeout(master.getTimeout())
                .build();
        uri.setCredentialsProvider(master.getCredentialsProvider());
        uri.setClientName(master.getClientName());
        return uri;
    }

    /** A plus is a plus, as in the login before the host. */
    private static String decoded(String password) {
        try {
            return URLDecoder.decode(password.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Without the cause: it repeats a part of the password.
            throw new IllegalArgumentException(
                    "A % in sentinelPassword is followed by two digits: write % itself as %25");
        }
    }

    // ---- what it is

    /** For a client that knows no clusters. */
    public RedisURI single() {
        if (cluster) {
            throw new IllegalArgumentException(
                    "A RedisClient cannot use a cluster: pass connect().sync() of a RedisClusterClient");
        }
        return servers.get(0);
    }

    /** What the URL says that grants have to wait for. */
    public @Nullable Confirmation confirmation() {
        return confirmation;
    }

    /** Connects. Blocks for a few timeouts at most. */
    public Topology connect(LettuceConnect connecting) {
        return cluster ? connecting.cluster(servers) : connecting.single(servers.get(0));
    }
}
