package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Serves a {@link Site} on a port of its own, with {@link RequestThreads}: a request that has not been read and answered in time is
 * ended, and its connection closed.
 */
public final class WebServer implements AutoCloseable {
    /** Slow clients keep a thread each until their time is over: there are more threads than a browser has connections. */
    private static final int THREADS = 64;

    /** More than the slowest answer of a store that is patiently waited for. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final HttpServer server;
    private final RequestThreads threads;
    private final Site site;
    private final boolean encrypted;

    private WebServer(HttpServer server, RequestThreads threads, Site site, boolean encrypted) {
        this.server = server;
        this.threads = threads;
        this.site = site;
        this.encrypted = encrypted;
    }

    /**
     * Opens the port and answers from now on. The site is closed with the server.
     *
     * @param at with port 0 for any that is free
     * @param tls null for plain HTTP
     * @throws IOException if the port cannot be had; the message names it
     */
    public static WebServer start(InetSocketAddress at, @Nullable Tls tls, Site site) throws IOException {
        return start(at, tls, site, THREADS, LONGEST);
    }

    static WebServer start(InetSocketAddress at, @Nullable Tls tls, Site site, int most, Duration longest)
            throws IOException {
        HttpServer server = open(at, tls);
        RequestThreads threads = new RequestThreads(most, longest);
        server.setExecutor(threads);
        server.createContext("/", site);
        server.start();
        return new WebServer(server, threads, site, tls != null);
    }

    private static HttpServer open(InetSocketAddress at, @Nullable Tls tls) throws IOException {
        try {
            if (tls == null) {
                return HttpServer.create(at, 0);
            }
            HttpsServer https = HttpsServer.create(at, 0);
            https.setHttpsConfigurator(tls.configurator());
            return https;
        } catch (IOException e) {
            throw new IOException(
                    "Port " + at.getPort() + " of " + at.getAddress().getHostAddress() + " cannot be opened: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Where a browser of this machine finds it; ends with a slash. */
    public URI uri() {
        return uri(server, encrypted, "/");
    }

    /** The same for any server and path. */
    public static URI uri(HttpServer server, boolean encrypted, String path) {
        InetAddress bound = server.getAddress().getAddress();
        String host = bound.isAnyLocalAddress() ? "127.0.0.1" : bound.getHostAddress();
        return URI.create((encrypted ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + server.getAddress().getPort() + path);
    }

    /** Ends everything: those who listen are cut off, and the port is free. A second call does nothing. */
    @Override
    public void close() {
        site.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
