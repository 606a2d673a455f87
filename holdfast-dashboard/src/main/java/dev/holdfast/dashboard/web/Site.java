package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.holdfast.spi.Secrets;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes and files of a page, and the rules for every request. As a handler it serves them below the path of its context, on our
 * {@link WebServer} or on a server that is already there. Safe for use by many threads.
 *
 * <p>Without a session there are only the page that lets somebody in, and the files that this page needs. A change is a POST with
 * the session's token, from a page of this site.
 */
public final class Site implements HttpHandler, AutoCloseable {
    /** The header with the token of the session. No other site's page can send it. */
    public static final String TOKEN_HEADER = "X-Holdfast-Token";

    private static final Logger LOG = LoggerFactory.getLogger(Site.class);
    private static final int MISDIRECTED = 421;

    private final HostNames names;
    private final Assets assets;
    private final Map<String, Route> routes;
    private final Entrance entrance;
    private final Runnable onClose;

    private Site(Builder builder) {
        names = builder.names;
        assets = builder.assets;
        routes = Map.copyOf(builder.routes);
        entrance = new Entrance(builder.access, names);
        onClose = builder.onClose;
    }

    /** Exactly one of the three is there. */
    private record Route(
            @Nullable Action get,
            @Nullable Action change,
            @Nullable Listening events) {
        String method() {
            return change == null ? "GET" : "POST";
        }
    }

    private record Listening(EventHub hub, Consumer<Viewer> join) {}

    /** Returns a builder of a site that is called by these names, and lets in whoever has access. */
    public static Builder builder(Access access, HostNames names) {
        return new Builder(access, names);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        boolean stays = false;
        try {
            SecurityHeaders.set(exchange.getResponseHeaders());
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (host == null || !names.include(host)) {
                send(
                        exchange,
                        Reply.refusal(
                                MISDIRECTED,
                                "This site is not called so. Use its address, or tell it its name (in the command: --host NAME)."));
                return;
            }
            stays = route(exchange, below(exchange));
        } catch (BadRequestException e) {
            send(exchange, e.reply());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("A request for {} failed", exchange.getHttpContext().getPath(), Secrets.mask(e));
            send(exchange, Reply.refusal(500, "This failed. The log says why."));
        } finally {
            if (!stays) {
                exchange.close();
            }
        }
    }

    /** The path below that of the context: {@code /} for the page itself. Null outside of it. */
    private static @Nullable String below(HttpExchange exchange) {
        String path = exchange.getRequestURI().getRawPath();
        String base = exchange.getHttpContext().getPath();
        String folder = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
        // A context is found by the beginning of the path: /locks also gets what is meant for /locksmith.
        if (path == null || !path.startsWith(folder)) {
            return null;
        }
        String rest = path.substring(folder.length());
        return rest.isEmpty() || rest.startsWith("/") ? rest : null;
    }

    /** True if the exchange goes on after this. */
    private boolean route(HttpExchange exchange, @Nullable String path) throws IOException, InterruptedException {
        if (path == null) {
            send(exchange, notFound());
            return false;
        }
        if (path.isEmpty()) {
            String base = exchange.getHttpContext().getPath();
            send(exchange, Reply.of(308, "text/plain", new byte[0]).with("Location", base + "/"));
            return false;
        }
        Reply public_ = entrance.reply(exchange, path);
        if (public_ != null) {
            send(exchange, public_);
            return false;
        }
        Session session = entrance.session(exchange);
        if (session == null) {
            send(exchange, path.equals("/") ? entrance.page() : Entrance.closed());
            return false;
        }
        return inside(exchange, path, session);
    }

    private boolean inside(HttpExchange exchange, String path, Session session)
            throws IOException, InterruptedException {
        Route route = routes.get(path);
        Reply file = assets.at(path.equals("/") ? "/index.html" : path);
        if (route == null && file == null) {
            send(exchange, notFound());
            return false;
        }
        String method = route == null ? "GET" : route.method();
        if (!exchange.getRequestMethod().equals(method)) {
            send(exchange, Reply.refusal(405, "Use " + method + " here.").with("Allow", method));
            return false;
        }
        if (route == null) {
            send(exchange, Objects.requireNonNull(file));
            return false;
        }
        if (OriginCheck.isForeign(exchange.getRequestHeaders())) {
            send(exchange, Reply.refusal(403, "This was asked for by a page of another site."));
            return false;
        }
        if (route.events != null) {
            return listen(exchange, route.events);
        }
        send(exchange, answer(exchange, route, session));
        return false;
    }

    private Reply answer(HttpExchange exchange, Route route, Session session) throws IOException, InterruptedException {
        if (route.change == null) {
            Action get = Objects.requireNonNull(route.get);
            return get.answer(new Request(Request.ofQuery(exchange), session, exchange.getRemoteAddress()));
        }
        String token = String.valueOf(exchange.getRequestHeaders().getFirst(TOKEN_HEADER));
        if (!OriginCheck.isOurs(exchange.getRequestHeaders(), names)
                || !Randoms.same(Randoms.digest(token), Randoms.digest(session.token()))) {
            return Reply.refusal(403, "Changes are accepted only from the page of this site. Load it again.");
        }
        return route.change.answer(new Request(Request.ofForm(exchange), session, exchange.getRemoteAddress()));
    }

    private static boolean listen(HttpExchange exchange, Listening events) throws IOException {
        Viewer viewer = events.hub.accept(exchange);
        if (viewer == null) {
            return false;
        }
        try {
            events.join.accept(viewer);
        } catch (RuntimeException e) {
            LOG.warn("A browser could not be told what it looks at", Secrets.mask(e));
            viewer.drop();
        }
        // Its own thread closes the exchange.
        return true;
    }

    private static Reply notFound() {
        return Reply.refusal(404, "There is nothing here.");
    }

    static void send(HttpExchange exchange, Reply reply) throws IOException {
        reply.headers.forEach(exchange.getResponseHeaders()::set);
        boolean empty = reply.body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(reply.status, empty ? -1 : reply.body.length);
        if (!empty) {
            exchange.getResponseBody().write(reply.body);
        }
    }

    /** Ends what belongs to the site: {@link Builder#onClose}. */
    @Override
    public void close() {
        onClose.run();
    }

    /** Collects the routes. Not safe for use by many threads. */
    public static final class Builder {
        private final Access access;
        private final HostNames names;
        private final Map<String, Route> routes = new HashMap<>();
        private Assets assets = Assets.beside(Site.class, "");
        private Runnable onClose = () -> {};

        private Builder(Access access, HostNames names) {
            this.access = Objects.requireNonNull(access, "access");
            this.names = Objects.requireNonNull(names, "names");
        }

        /** The files of the page. {@code index.html} is the page itself. */
        public Builder assets(Assets files) {
            this.assets = files;
            return this;
        }

        /** Answers a question, under a path that begins with a slash. */
        public Builder get(String path, Action action) {
            return put(path, new Route(action, null, null));
        }

        /** Changes something, by a POST of a form. */
        public Builder change(String path, Action action) {
            return put(path, new Route(null, action, null));
        }

        /**
         * Lets browsers listen.
         *
         * @param join called for each; must call {@link Viewer#join}, and must not block
         */
        public Builder events(String path, EventHub hub, Consumer<Viewer> join) {
            return put(path, new Route(null, null, new Listening(hub, join)));
        }

        private Builder put(String path, Route route) {
            if (!path.startsWith("/") || routes.put(path, route) != null) {
                throw new IllegalArgumentException("A path begins with a slash and has one route: " + path);
            }
            return this;
        }

        /** What is to be closed with the site: hubs, for instance. */
        public Builder onClose(Runnable closing) {
            this.onClose = closing;
            return this;
        }

        /** Makes it. */
        public Site build() {
            return new Site(this);
        }
    }
}
