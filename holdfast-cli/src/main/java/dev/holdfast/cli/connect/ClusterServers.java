package dev.holdfast.cli.connect;

import dev.holdfast.redis.RedisBackend;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The servers in the URL of a cluster, for a client of Lettuce. */
final class ClusterServers {
    private ClusterServers() {}

    /**
     * What the URL says about grants does not matter here.
     *
     * @throws IllegalArgumentException if the URL cannot be read
     */
    static List<RedisURI> in(String url, Duration timeout) {
        // Connects to nothing. Refuses whatever cannot be read, so that the rest only has to take the URL apart.
        var unused = RedisBackend.builder(url);
        String scheme = url.substring(0, url.indexOf('+'));
        String rest = url.substring(url.indexOf("://") + "://".length());
        int at = rest.lastIndexOf('@');
        int question = rest.indexOf('?', at + 1);
        int slash = rest.indexOf('/', at + 1);
        int end = Stream.of(question, slash, rest.length())
                .filter(each -> each >= 0)
                .min(Integer::compare)
                .orElseThrow();
        // An @ in a password: it is the last one that ends it.
        String login = at < 0 ? "" : rest.substring(0, at).replace("@", "%40") + "@";
        String query = question < 0 ? "" : rest.substring(question);
        return Stream.of(rest.substring(at + 1, end).split(",", -1))
                .map(host -> RedisURI.create(scheme + "://" + login + host.strip() + query))
                .peek(uri -> uri.setTimeout(timeout))
                .toList();
    }
}
