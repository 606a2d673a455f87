package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A request that has passed every check, as an {@link Action} sees it. For one thread. */
public final class Request {
    /** Names of locks have 512 bytes at most; escaped, three times as many. */
    private static final int LONGEST_BODY = 16 * 1024;

    private final Map<String, String> parameters;
    private final Session session;
    private final InetSocketAddress from;

    Request(Map<String, String> parameters, Session session, InetSocketAddress from) {
        this.parameters = parameters;
        this.session = session;
        this.from = from;
    }

    /** A parameter of the query, or of the form that was sent; empty if it is not there. */
    public String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    /** Who asks. */
    public Session session() {
        return session;
    }

    /** The other end of the connection: the browser, or the proxy before it. */
    public InetSocketAddress from() {
        return from;
    }

    static Map<String, String> ofQuery(HttpExchange exchange) {
        String query = exchange.getRequestURI().getRawQuery();
        return query == null ? Map.of() : parse(query);
    }

    /** @throws BadRequestException if it is too long or not a form */
    static Map<String, String> ofForm(HttpExchange exchange) throws IOException {
        String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
        if (!type.startsWith("application/x-www-form-urlencoded")) {
            throw new BadRequestException(415, "Send a form: application/x-www-form-urlencoded.");
        }
        try (InputStream in = exchange.getRequestBody()) {
            byte[] body = in.readNBytes(LONGEST_BODY + 1);
            if (body.length > LONGEST_BODY) {
                throw new BadRequestException(413, "The request is too long.");
            }
            return parse(new String(body, StandardCharsets.UTF_8));
        }
    }

    private static Map<String, String> parse(String text) {
        Map<String, String> parameters = new HashMap<>();
        for (String each : text.split("&", -1)) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                parameters.put(decoded(each.substring(0, equals)), decoded(each.substring(equals + 1)));
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(400, "A parameter is not encoded as in a URL.");
        }
    }
}
