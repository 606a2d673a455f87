package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Serves a {@link Site} on a port of its own. At most eight threads answer, and what they cannot take waits in a short line; a
 * connection beyond that is closed. All of them are daemons.
 */
public final class WebServer implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int LINE = 200;

    private final HttpServer server;
    private final ThreadPoolExecutor executor;
    private final Site site;
    private final boolean encrypted;

    private WebServer(HttpServer server, ThreadPoolExecutor executor, Site site, boolean encrypted) {
        this.server = server;
        this.executor = executor;
        this.site = site;
        this.encrypted = encrypted;
    }

    /**
     * Opens the port and answers from now on. The site is closed with the server.
     *
     * @param at with port 0 for any that is free
     * @param tls null for plain HTTP
     * @throws IOException if the port cannot be had
     */
    public static WebServer start(InetSocketAddress at, @Nullable Tls tls, Site site) throws IOException {
        HttpServer server;
        if (tls == null) {
            server = HttpServer.create(at, 0);
        } else {
            HttpsServer https = HttpsServer.create(at, 0);
            https.setHttpsConfigurator(tls.configurator());
            server = https;
        }
        ThreadPoolExecutor executor = threads();
        server.setExecutor(executor);
        server.createContext("/", site);
        server.start();
        return new WebServer(server, executor, site, tls != null);
    }

    private static ThreadPoolExecutor threads() {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(LINE), task -> {
                    Thread thread = new Thread(task, "holdfast-web-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
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
        executor.shutdownNow();
    }
}
