package dev.holdfast.lab;

import dev.holdfast.dashboard.web.Access;
import dev.holdfast.dashboard.web.WebServer;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.story.Director;
import dev.holdfast.lab.web.LabSite;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Five Redis servers, three client processes, an account and a page on which a visitor sees what happens to a lock when they
 * fail. Everything runs on this machine, for this user, and ends with this object or with this process.
 */
public final class Lab implements AutoCloseable {
    private static final Duration TIME_TO_READ = Duration.ofMillis(2500);

    private final Stage stage;
    private final Director director;
    private final WebServer server;
    private final Access access;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Lab(Stage stage, Director director, WebServer server, Access access) {
        this.stage = stage;
        this.director = director;
        this.server = server;
        this.access = access;
    }

    /**
     * Starts everything. Blocks for some seconds.
     *
     * @param port of the page, on loopback; 0 for any that is free
     * @throws IOException if the servers cannot be started, or the port cannot be had
     */
    public static Lab start(int port) throws IOException, InterruptedException {
        return start(port, TIME_TO_READ);
    }

    static Lab start(int port, Duration pace) throws IOException, InterruptedException {
        Stage stage = Stage.open();
        try {
            Director director = new Director(stage, pace);
            director.startOver();
            Access access = Access.byLink();
            WebServer server = WebServer.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    null,
                    LabSite.of(stage, director, access));
            return new Lab(stage, director, server, access);
        } catch (IOException | InterruptedException | RuntimeException e) {
            stage.close();
            throw e;
        }
    }

    /** Where the page is. Good once, for one browser; the next call gives another. */
    public URI link() {
        return server.uri().resolve("open?key=" + access.newKey("a visitor"));
    }

    /** Why the clocks of servers cannot be changed on this machine; empty where they can. */
    public String whyNoClocks() {
        return stage.whyNoClocks();
    }

    Director director() {
        return director;
    }

    Stage stage() {
        return stage;
    }

    /** Ends every process, and removes every file. A second call does nothing. */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            server.close();
            director.close();
            stage.close();
        }
    }
}
