package dev.holdfast.dashboard;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import dev.holdfast.Holdfast;
import dev.holdfast.dashboard.web.Access;
import dev.holdfast.dashboard.web.HostNames;
import dev.holdfast.dashboard.web.Site;
import dev.holdfast.dashboard.web.Tls;
import dev.holdfast.dashboard.web.WebServer;
import dev.holdfast.spi.Secrets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The console: a page that shows which locks are held in the store of a {@link Holdfast}, by whom, and who waits, and that can break
 * them. It shows the locks of everybody who uses the store, not only those of this process.
 *
 * <pre>{@code
 * try (Dashboard dashboard = Dashboard.serve(holdfast)) {
 *     System.out.println(dashboard.newLink());   // opens the page, once
 * }
 * }</pre>
 *
 * <p>The store is asked about twice a second while somebody looks, and not at all otherwise. Closing the dashboard does not close the
 * {@code Holdfast}. Safe for use by many threads.
 */
public final class Dashboard implements AutoCloseable {
    private final Access access;
    private final URI uri;
    private final Runnable closing;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Dashboard(Access access, URI uri, Runnable closing) {
        this.access = access;
        this.uri = uri;
        this.closing = closing;
    }

    /**
     * Serves the console on a free port of the loopback address.
     *
     * @throws UncheckedIOException if no port can be had
     */
    public static Dashboard serve(Holdfast holdfast) {
        return builder(holdfast).start();
    }

    /** Returns a builder with the defaults. */
    public static Builder builder(Holdfast holdfast) {
        return new Builder(holdfast);
    }

    /** Where the page is. Whoever goes there without a session is asked for a link or the password. */
    public URI uri() {
        return uri;
    }

    /** A link that opens the page once, for somebody whose name is not known. See {@link #newLink(String)}. */
    public URI newLink() {
        return newLink("somebody with a link");
    }

    /**
     * A link that opens the page once. Give it to that person only, and never write it to a log.
     *
     * @param who it is for: the record of what is broken says so
     */
    public URI newLink(String who) {
        return uri.resolve("open?key=" + access.newKey(who));
    }

    /** Ends the page for everybody. Blocks for two seconds at most. A second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            closing.run();
        }
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private static final int MOST_LOCKS = 20_000;
        private static final int MOST_VIEWERS = 64;
        private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

        private final Holdfast holdfast;
        private int port;
        private InetAddress address = InetAddress.getLoopbackAddress();
        private HostNames names = HostNames.local();
        private @Nullable String password;
        private @Nullable Tls tls;
        private boolean readOnly;
        private String label = "";
        private int limit = MOST_LOCKS;
        private int viewers = MOST_VIEWERS;
        private Duration pause = Duration.ofMillis(500);
        private Consumer<String> audit = line -> {};

        private Builder(Holdfast holdfast) {
            this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        }

        /** The port; any that is free unless set. */
        public Builder port(int port) {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("A port is a number from 0 to 65535: " + port);
            }
            this.port = port;
            return this;
        }

        /**
         * The address to listen on; the loopback address unless set. Any other one needs {@link #password} or {@link
         * #clientCertificates}: whoever gets in sees every lock of the store, and can break it.
         */
        public Builder listen(InetAddress address) {
            this.address = Objects.requireNonNull(address, "address");
            return this;
        }

        /**
         * A name that the page is called by, besides {@code localhost} and addresses: of a proxy before it, for instance. Requests for
         * other names are refused, because a name of somebody else can be made to lead here.
         *
         * @throws IllegalArgumentException if it is not the name of a host, without a scheme and a port
         */
        public Builder host(String name) {
            this.names = names.and(name);
            return this;
        }

        /**
         * Whoever knows it may enter.
         *
         * @throws IllegalArgumentException if it has fewer than eight characters
         */
        public Builder password(String password) {
            var unused = Access.byPassword(password);
            this.password = password;
            return this;
        }

        /** Encrypts, with the key that is in the context. Not for {@link #mount}: that server has its own. */
        public Builder tls(SSLContext context) {
            this.tls = new Tls(context, false);
            return this;
        }

        /**
         * Encrypts, and lets in whoever shows a certificate that the context trusts, and nobody else: a password is not asked for then.
         * Not for {@link #mount}.
         */
        public Builder clientCertificates(SSLContext context) {
            this.tls = new Tls(context, true);
            return this;
        }

        /** Nothing can be broken: the page has no button for it, and the server no path. */
        public Builder readOnly(boolean readOnly) {
            this.readOnly = readOnly;
            return this;
        }

        /** What the page says about where the locks are; passwords in it are masked. */
        public Builder label(String label) {
            this.label = Secrets.mask(label);
            return this;
        }

        /** The largest number of locks that are shown, by name; 20 000 unless set. The page says so if there are more. */
        public Builder limit(int locks) {
            if (locks < 1) {
                throw new IllegalArgumentException("limit must be at least 1: " + locks);
            }
            this.limit = locks;
            return this;
        }

        /** How many pages may be open at once; 64 unless set. Each costs a thread. */
        public Builder viewers(int pages) {
            if (pages < 1) {
                throw new IllegalArgumentException("viewers must be at least 1: " + pages);
            }
            this.viewers = pages;
            return this;
        }

        /**
         * How long to wait after an answer of the store before it is asked again; 500 ms unless set. It is longer where answers are
         * slow: four times what the answer took.
         */
        public Builder pause(Duration pause) {
            if (pause.compareTo(SHORTEST_PAUSE) < 0) {
                throw new IllegalArgumentException("pause must be at least 100 ms: " + pause.toMillis() + " ms");
            }
            this.pause = pause;
            return this;
        }

        /** Also gets each line that says who broke what, besides the log. Must not block. */
        public Builder audit(Consumer<String> lines) {
            this.audit = Objects.requireNonNull(lines, "lines");
            return this;
        }

        /**
         * Serves the console on a port of its own.
         *
         * @throws IllegalStateException if it would listen on another address than loopback without asking who comes
         * @throws UncheckedIOException if the port cannot be had
         */
        public Dashboard start() {
            boolean certificates = tls != null && tls.demandsCertificate();
            if (!address.isLoopbackAddress() && password == null && !certificates) {
                throw new IllegalStateException("Everybody who reaches " + address.getHostAddress()
                        + " could see and break the locks: set a password, or demand client certificates.");
            }
            Access access = access(certificates);
            Site site = ConsoleSite.of(holdfast, settings(), access, names);
            try {
                WebServer server = WebServer.start(new InetSocketAddress(address, port), tls, site);
                return new Dashboard(access, server.uri(), server::close);
            } catch (IOException e) {
                site.close();
                throw new UncheckedIOException(e.getMessage(), e);
            } catch (RuntimeException e) {
                site.close();
                throw e;
            }
        }

        /**
         * Serves the console below a path of a server that is already there. The server stays yours: what it listens on, and how it is
         * encrypted. Its names other than {@code localhost} must be told with {@link #host}.
         *
         * @param path such as {@code /locks}
         */
        public Dashboard mount(HttpServer server, String path) {
            if (!path.startsWith("/") || path.length() < 2 || path.endsWith("/")) {
                throw new IllegalArgumentException(
                        "The path begins with a slash and does not end with one: '" + path + "'");
            }
            if (tls != null) {
                throw new IllegalStateException("The server that is already there has its own encryption.");
            }
            Access access = access(false);
            Site site = ConsoleSite.of(holdfast, settings(), access, names);
            try {
                server.createContext(path, site);
            } catch (RuntimeException taken) {
                site.close();
                throw taken;
            }
            URI uri = WebServer.uri(server, server instanceof HttpsServer, path + "/");
            return new Dashboard(access, uri, () -> {
                server.removeContext(path);
                site.close();
            });
        }

        private Access access(boolean certificates) {
            if (certificates) {
                return Access.byCertificate();
            }
            return password == null ? Access.byLink() : Access.byPassword(password);
        }

        private ConsoleSite.Settings settings() {
            return new ConsoleSite.Settings(readOnly, label, limit, viewers, pause, audit);
        }
    }
}
