package dev.holdfast.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpServer;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many browsers, slow ones, dead ones. */
@Timeout(300)
class EventHubTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AtomicInteger told = new AtomicInteger();
    private final Access access = Access.byLink();
    private final List<Socket> sockets = new ArrayList<>();
    private EventHub hub;
    private Site site;
    private WebServer server;
    private String cookie;

    private void serve(int most, Duration stuck, Duration quiet) throws IOException {
        hub = new EventHub(most, told::incrementAndGet, stuck, quiet);
        site = Site.builder(access, HostNames.local())
                .events("/events", hub, viewer -> viewer.join(List.of(Event.of("hello", "you"))))
                .onClose(hub::close)
                .build();
        server = WebServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, site);
        cookie = Raw.to(server.uri()).get("/open?key=" + access.newKey("alice")).cookie();
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
        server.close();
    }

    private Socket listen() throws IOException {
        Socket socket = Raw.to(server.uri()).with("Cookie", cookie).send("GET", "/events");
        sockets.add(socket);
        return socket;
    }

    private static String readUntil(Socket socket, String part) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] some = new byte[65_536];
        while (text.indexOf(part) < 0) {
            int count = socket.getInputStream().read(some);
            if (count < 0) {
                return text + " END";
            }
            text.append(new String(some, 0, count, StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    private static long viewerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-web-viewer"))
                .count();
    }

    @Test
    void everybodyHearsWhatIsPublished() throws Exception {
        serve(64, PATIENCE, PATIENCE);
        Socket one = listen();
        Socket two = listen();
        await().atMost(PATIENCE).until(() -> hub.audience() == 2);
        hub.publish(Event.of("news", "a\nb"));
        for (Socket each : List.of(one, two)) {
            assertThat(readUntil(each, "event: news\ndata: \"a\\u000ab\"\n\n"))
                    .contains("text/event-stream", "retry: 1000", "event: hello\ndata: \"you\"\n\n");
        }
        one.close();
        // A browser that has gone is noticed with what is sent to it.
        await().atMost(PATIENCE).until(() -> {
            hub.publish(Event.of("news", "more"));
            return hub.audience() == 1;
        });
    }

    @Test
    void ofTwoHundredThoseBeyondTheLimitAreTurnedAwayAndTheOthersServed() throws Exception {
        serve(64, PATIENCE, PATIENCE);
        List<Socket> served = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 200; i++) {
            Socket socket = listen();
            String answer = readUntil(socket, "\r\n\r\n");
            if (answer.startsWith("HTTP/1.1 200")) {
                served.add(socket);
            } else {
                assertThat(answer).startsWith("HTTP/1.1 503").containsIgnoringCase("Retry-After: 10");
                refused++;
            }
        }
        assertThat(served).hasSize(64);
        assertThat(refused).isEqualTo(136);
        await().atMost(PATIENCE).until(() -> hub.audience() == 64);
        hub.publish(Event.of("news", "all"));
        for (Socket each : served) {
            readUntil(each, "\"all\"");
        }
        // Those who go make room.
        served.get(0).close();
        await().atMost(PATIENCE).until(() -> {
            hub.publish(Event.of("news", "more"));
            return hub.audience() == 63;
        });
        assertThat(readUntil(listen(), "\r\n\r\n")).startsWith("HTTP/1.1 200");
    }

    @Test
    void aBrowserThatNeverReadsIsDroppedAndHoldsUpNobody() throws Exception {
        // More than any buffer of the system holds is published; the one that reads gets all of it, unless this machine
        // stands still for that long.
        serve(64, Duration.ofSeconds(4), PATIENCE);
        Socket deaf = listen();
        Socket hears = listen();
        await().atMost(PATIENCE).until(() -> hub.audience() == 2);
        String much = "x".repeat(1 << 20);
        for (int i = 0; i < 12; i++) {
            hub.publish(Event.of("news", much));
            readUntil(hears, "\n\n");
        }
        await().atMost(PATIENCE).until(() -> hub.audience() == 1);
        hub.publish(Event.of("last", "end"));
        assertThat(readUntil(hears, "\"end\"")).doesNotContain("END");
        await().atMost(PATIENCE).until(() -> viewerThreads() == 1);
        assertThat(deaf.isClosed()).isFalse();
    }

    @Test
    void oneThatFallsTooFarBehindIsDroppedBeforeItsLineGrowsOn() throws Exception {
        serve(64, PATIENCE, PATIENCE);
        listen();
        await().atMost(PATIENCE).until(() -> hub.audience() == 1);
        String much = "x".repeat(1 << 20);
        for (int i = 0; i < 60 && hub.audience() == 1; i++) {
            hub.publish(Event.of("news", much));
        }
        await().atMost(PATIENCE).until(() -> hub.audience() == 0);
    }

    @Test
    void aLongEventIsWrittenInSlices() throws Exception {
        // The JDK's stream copied each of them whole, into twice the memory, for every browser of old HTTP.
        AtomicInteger longest = new AtomicInteger();
        serve(64, PATIENCE, PATIENCE);
        HttpServer theirs = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        theirs.createContext("/", site).getFilters().add(Filter.beforeHandler("measures", exchange -> {
            exchange.setStreams(null, new FilterOutputStream(exchange.getResponseBody()) {
                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    longest.accumulateAndGet(count, Math::max);
                    out.write(bytes, from, count);
                }
            });
        }));
        theirs.start();
        try {
            URI uri = WebServer.uri(theirs, false, "/");
            String entered =
                    Raw.to(uri).get("/open?key=" + access.newKey("alice")).cookie();
            Socket socket = Raw.to(uri).with("Cookie", entered).send("GET", "/events");
            sockets.add(socket);
            await().atMost(PATIENCE).until(() -> hub.audience() == 1);
            String much = "x".repeat(1 << 20);
            hub.publish(Event.of("news", much));
            hub.publish(Event.of("last", "end"));
            assertThat(readUntil(socket, "\"end\"")).contains("xxxx");
            assertThat(longest.get()).isBetween(1, 64 << 10);
        } finally {
            theirs.stop(0);
        }
    }

    @Test
    void requestsThatNeverEndLeaveThreadsForTheOthers() throws Exception {
        // Eight of them used to be enough for nobody else to be answered.
        serve(64, PATIENCE, PATIENCE);
        for (int i = 0; i < 20; i++) {
            Socket half = new Socket(server.uri().getHost(), server.uri().getPort());
            sockets.add(half);
            half.getOutputStream().write("GET / HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Raw.to(server.uri()).get("/").status()).isEqualTo(401);
    }

    @Test
    void whoDoesNotReadItsAnswerKeepsAThreadForALimitedTime() throws Exception {
        // Two threads, and two clients that ask for more than any buffer of the system holds and read nothing of it.
        // Both threads used to be gone for as long as those clients stayed.
        AtomicInteger asked = new AtomicInteger();
        byte[] much = new byte[32 << 20];
        Site large = Site.builder(access, HostNames.local())
                .get("/much", request -> {
                    asked.incrementAndGet();
                    return Reply.of(200, "text/plain", much);
                })
                .build();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = WebServer.start(anyPort, null, large, 2, Duration.ofSeconds(4));
        cookie = Raw.to(server.uri()).get("/open?key=" + access.newKey("alice")).cookie();
        for (int i = 0; i < 2; i++) {
            sockets.add(Raw.to(server.uri()).with("Cookie", cookie).send("GET", "/much"));
        }
        await().atMost(PATIENCE).until(() -> asked.get() == 2);
        // Again if need be: this machine may stand still for the time that a request has.
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> Raw.to(server.uri()).get("/").status() == 401);
    }

    @Test
    void whoHearsNothingHearsThatWeAreThere() throws Exception {
        serve(64, PATIENCE, Duration.ofMillis(100));
        Socket socket = listen();
        readUntil(socket, "hello");
        assertThat(readUntil(socket, ":\n\n")).contains(":\n\n");
    }

    @Test
    void theEndOfTheServerEndsEverythingAndLeavesNoThread() throws Exception {
        serve(64, PATIENCE, PATIENCE);
        Socket one = listen();
        Socket two = listen();
        await().atMost(PATIENCE).until(() -> hub.audience() == 2);
        readUntil(one, "hello");
        server.close();
        await().atMost(PATIENCE).until(() -> hub.audience() == 0);
        await().atMost(PATIENCE).until(() -> viewerThreads() == 0);
        assertThat(ended(one) && ended(two)).isTrue();
        assertThat(told.get()).isGreaterThanOrEqualTo(4);
    }

    private static boolean ended(Socket socket) {
        try {
            return readUntil(socket, "never").endsWith("END");
        } catch (IOException reset) {
            return true;
        }
    }
}
