package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** What somebody sees who has not been let in, and the ways in. Immutable but for the sessions in {@link Access}. */
final class Entrance {
    private static final Assets FILES = Assets.beside(Entrance.class, "", "entrance.css", "enter.html", "entered.html");

    private final Access access;
    private final HostNames names;
    private final Cookies cookies = new Cookies();

    Entrance(Access access, HostNames names) {
        this.access = access;
        this.names = names;
    }

    /** For paths that need no session; null for all others. */
    @Nullable
    Reply reply(HttpExchange exchange, String path) throws IOException {
        return switch (path) {
            case "/entrance.css" -> file("entrance.css", 200);
            case "/open" -> method(exchange, "GET", () -> open(exchange));
            case "/enter" -> method(exchange, "POST", () -> enter(exchange));
            default -> null;
        };
    }

    /** Who sent this request; null for somebody who was not let in. */
    @Nullable
    Session session(HttpExchange exchange) {
        Session session = access.find(cookies.read(exchange));
        if (session == null && access.asksForCertificate() && exchange instanceof HttpsExchange encrypted) {
            String cookie = access.enter(subject(encrypted));
            cookies.set(exchange, cookie);
            return access.find(cookie);
        }
        return session;
    }

    /** The server has demanded and checked a certificate: a connection without one never comes this far. */
    private static String subject(HttpsExchange exchange) {
        try {
            return exchange.getSSLSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException e) {
            throw new BadRequestException(403, "Show a client certificate.");
        }
    }

    /** The page that says how to get in. */
    Reply page() {
        return page("", 401);
    }

    private Reply page(String problem, int status) {
        String text = new String(file("enter.html", status).body, StandardCharsets.UTF_8)
                .replace("{form}", access.hasPassword() ? "" : "hidden")
                .replace("{hint}", access.hasPassword() ? "hidden" : "")
                .replace("{problem}", problem);
        return Reply.of(status, "text/html; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    static Reply closed() {
        return Reply.refusal(401, "Open the link that you were given, or load the page again.");
    }

    /**
     * Answers with a page that leads on, not with a redirection: a browser that came from another site's page would not send the
     * new cookie along with that.
     */
    private Reply open(HttpExchange exchange) {
        String cookie = access.enterByKey(Request.ofQuery(exchange).getOrDefault("key", ""));
        if (cookie == null) {
            return page("This link is wrong, or it was used before. Each link opens the page once.", 403);
        }
        cookies.set(exchange, cookie);
        return file("entered.html", 200);
    }

    private Reply enter(HttpExchange exchange) throws IOException {
        if (!OriginCheck.isOurs(exchange.getRequestHeaders(), names)) {
            return Reply.refusal(403, "Passwords are accepted only from the page of this site.");
        }
        Map<String, String> form = Request.ofForm(exchange);
        if (access.hasPassword() && !access.mayTryPassword()) {
            return page("Too many wrong passwords. Wait a minute.", 429);
        }
        String cookie = access.enterByPassword(form.getOrDefault("password", ""));
        if (cookie == null) {
            return page("That password is wrong.", 403);
        }
        cookies.set(exchange, cookie);
        return file("entered.html", 200);
    }

    private static Reply file(String name, int status) {
        return Objects.requireNonNull(FILES.at("/" + name)).withStatus(status);
    }

    private interface Step {
        Reply reply() throws IOException;
    }

    private static Reply method(HttpExchange exchange, String method, Step step) throws IOException {
        return exchange.getRequestMethod().equals(method)
                ? step.reply()
                : Reply.refusal(405, "Use " + method + " here.").with("Allow", method);
    }
}
