package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import java.util.List;

/** The one cookie of a site. */
final class Cookies {
    private final String name;

    /** A browser sends the cookies of a host to all of its ports: each site has a name of its own. */
    Cookies() {
        name = "holdfast-" + Randoms.secret().substring(0, 8);
    }

    /** Empty if there is none. */
    String read(HttpExchange exchange) {
        List<String> headers = exchange.getRequestHeaders().getOrDefault("Cookie", List.of());
        for (String header : headers) {
            for (String each : header.split(";", -1)) {
                String pair = each.strip();
                if (pair.startsWith(name + "=")) {
                    return pair.substring(name.length() + 1);
                }
            }
        }
        return "";
    }

    /** No script reads it, no other site's page sends it, and it ends with the browser. */
    void set(HttpExchange exchange, String value) {
        boolean encrypted = exchange instanceof HttpsExchange;
        exchange.getResponseHeaders()
                .add(
                        "Set-Cookie",
                        name + "=" + value + "; Path=/; HttpOnly; SameSite=Strict" + (encrypted ? "; Secure" : ""));
    }
}
