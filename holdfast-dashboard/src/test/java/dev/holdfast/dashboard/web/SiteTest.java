package dev.holdfast.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a site lets pass, and what it refuses. */
@Timeout(300)
class SiteTest {
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private final Access access = Access.forTest("correct horse", nanos::get);
    private WebServer server = serve(HostNames.local().and("console.example"));

    private WebServer serve(HostNames names) {
        try {
            return WebServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, site(names));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Site site(HostNames names) {
        return Site.builder(access, names)
                .assets(Assets.beside(SiteTest.class, "", "index.html"))
                .get(
                        "/api/session",
                        request -> Reply.json(Map.of("token", request.session().token())))
                .get("/api/broken", request -> {
                    throw new IllegalStateException("password=s3cret");
                })
                .change("/api/count", request -> {
                    changes.incrementAndGet();
                    return Reply.json(Map.of("said", request.parameter("what")));
                })
                .build();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Raw raw() {
        return Raw.to(server.uri());
    }

    private String enter() throws Exception {
        Raw.Answer entered = raw().get("/open?key=" + access.newKey("alice"));
        assertThat(entered.status()).isEqualTo(200);
        return entered.cookie();
    }

    /** As the page sends it. */
    private Raw change(String cookie) throws Exception {
        String token = raw().with("Cookie", cookie).get("/api/session").field("token");
        return raw().with("Cookie", cookie)
                .with("Origin", "http://" + server.uri().getAuthority())
                .with("Sec-Fetch-Site", "same-origin")
                .with(Site.TOKEN_HEADER, token)
                .form("what=a%20b%26c");
    }

    @Test
    void aLinkLetsInOnce() throws Exception {
        String key = access.newKey("alice");
        Raw.Answer first = raw().get("/open?key=" + key);
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.header("Set-Cookie")).contains("HttpOnly", "SameSite=Strict");
        assertThat(raw().get("/open?key=" + key).status()).isEqualTo(403);
        assertThat(raw().get("/open?key=").status()).isEqualTo(403);
        assertThat(raw().get("/open").status()).isEqualTo(403);
        assertThat(raw().get("/open?key=wrong").header("Set-Cookie")).isEmpty();
        assertThat(raw().with("Cookie", first.cookie()).get("/").body()).contains("the page itself");
    }

    @Test
    void withoutASessionThereIsOnlyTheEntrance() throws Exception {
        assertThat(raw().get("/").status()).isEqualTo(401);
        assertThat(raw().get("/").body()).contains("Password").doesNotContain("the page itself");
        assertThat(raw().get("/index.html").status()).isEqualTo(401);
        assertThat(raw().get("/api/session").status()).isEqualTo(401);
        assertThat(raw().get("/nothing").status()).isEqualTo(401);
        assertThat(raw().with("Cookie", enter() + "x").get("/api/session").status())
                .isEqualTo(401);
        assertThat(raw().ask("POST", "/api/count").status()).isEqualTo(401);
        assertThat(changes).hasValue(0);
    }

    @Test
    void aSessionEndsAfterALongPause() throws Exception {
        String cookie = enter();
        nanos.addAndGet(java.time.Duration.ofHours(11).toNanos());
        assertThat(raw().with("Cookie", cookie).get("/api/session").status()).isEqualTo(200);
        nanos.addAndGet(java.time.Duration.ofHours(13).toNanos());
        assertThat(raw().with("Cookie", cookie).get("/api/session").status()).isEqualTo(401);
    }

    @Test
    void aNameThatWasReboundIsRefused() throws Exception {
        // A page of evil.example whose name now leads to us: the browser would send whatever that page asks for.
        String cookie = enter();
        for (String host : List.of(
                "evil.example",
                "evil.example:80",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "127.0.0.1@evil.example",
                "",
                "console.example.evil")) {
            Raw.Answer answer = raw().with("Host", host).with("Cookie", cookie).get("/api/session");
            assertThat(answer.status()).as(host).isIn(421, 400);
            assertThat(answer.field("token")).isEmpty();
        }
        assertThat(raw().without("Host")
                        .with("Cookie", cookie)
                        .get("/api/session")
                        .field("token"))
                .isEmpty();
        for (String host :
                List.of("localhost:9000", "127.0.0.1", "[::1]:80", "LOCALHOST", "console.example", "192.0.2.7:1")) {
            assertThat(raw().with("Host", host)
                            .with("Cookie", cookie)
                            .get("/api/session")
                            .status())
                    .as(host)
                    .isEqualTo(200);
        }
    }

    @Test
    void aChangeNeedsThePageOfThisSiteAndItsToken() throws Exception {
        String cookie = enter();
        Raw.Answer done = change(cookie).ask("POST", "/api/count");
        assertThat(done.status()).isEqualTo(200);
        assertThat(done.field("said")).isEqualTo("a b&c");
        assertThat(changes).hasValue(1);

        for (String origin : List.of(
                "http://evil.example",
                "null",
                "http://" + server.uri().getHost() + ":1",
                "http://evil.example/" + server.uri().getAuthority(),
                "file://" + server.uri().getAuthority())) {
            assertThat(change(cookie)
                            .with("Origin", origin)
                            .ask("POST", "/api/count")
                            .status())
                    .as(origin)
                    .isEqualTo(403);
        }
        assertThat(change(cookie).without("Origin").ask("POST", "/api/count").status())
                .isEqualTo(403);
        assertThat(change(cookie)
                        .with("Sec-Fetch-Site", "same-site")
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(403);
        assertThat(change(cookie)
                        .without(Site.TOKEN_HEADER)
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(403);
        assertThat(change(cookie)
                        .with(Site.TOKEN_HEADER, "wrong")
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(403);
        // Another session's token is not this one's.
        String other = raw().with("Cookie", enter()).get("/api/session").field("token");
        assertThat(change(cookie)
                        .with(Site.TOKEN_HEADER, other)
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(403);
        assertThat(change(cookie).without("Cookie").ask("POST", "/api/count").status())
                .isEqualTo(401);
        assertThat(changes).hasValue(1);

        // Through a proxy that has a name of ours and calls us by our address.
        Raw proxied = change(cookie).with("Origin", "https://console.example");
        assertThat(proxied.ask("POST", "/api/count").status()).isEqualTo(200);
    }

    @Test
    void foreignPagesReadNothing() throws Exception {
        String cookie = enter();
        for (String site : List.of("cross-site", "same-site")) {
            assertThat(raw().with("Cookie", cookie)
                            .with("Sec-Fetch-Site", site)
                            .get("/api/session")
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void wrongMethodsAreRefusedWithTheRightOne() throws Exception {
        String cookie = enter();
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE")) {
            Raw.Answer answer = raw().with("Cookie", cookie).ask(method, "/api/session");
            assertThat(answer.status()).as(method).isEqualTo(405);
            assertThat(answer.header("Allow")).isEqualTo("GET");
        }
        assertThat(raw().with("Cookie", cookie).get("/api/count").header("Allow"))
                .isEqualTo("POST");
        assertThat(raw().ask("POST", "/open").status()).isEqualTo(405);
        assertThat(raw().get("/enter").status()).isEqualTo(405);
        assertThat(raw().with("Cookie", cookie).ask("HEAD", "/").status()).isEqualTo(405);
        assertThat(changes).hasValue(0);
    }

    @Test
    void noPathLeadsToAFileThatWasNotNamed() throws Exception {
        String cookie = enter();
        for (String path : List.of(
                "/../SiteTest.class",
                "/SiteTest.class",
                "/%2e%2e/enter.html",
                "/..%2fenter.html",
                "/enter.html",
                "//etc/passwd",
                "/index.html/",
                "/./index.html",
                "/index.html%00",
                "/..\\..\\etc\\passwd",
                "/api/session/../count")) {
            assertThat(raw().with("Cookie", cookie).get(path).status()).as(path).isIn(404, 400);
        }
        assertThat(raw().with("Cookie", cookie).get("/index.html?x=../..").status())
                .isEqualTo(200);
    }

    @Test
    void everyReplyIsGuarded() throws Exception {
        String cookie = enter();
        for (String path : List.of("/", "/index.html", "/api/session", "/nothing", "/api/broken", "/open?key=x")) {
            for (Raw request : List.of(raw(), raw().with("Cookie", cookie), raw().with("Host", "evil.example"))) {
                Raw.Answer answer = request.get(path);
                assertThat(answer.header("Content-Security-Policy"))
                        .as(path)
                        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe");
                assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
                assertThat(answer.text()).doesNotContain("s3cret", "IllegalStateException");
            }
        }
        assertThat(raw().with("Cookie", cookie).get("/api/broken").status()).isEqualTo(500);
    }

    @Test
    void thePasswordLetsInAndGuessingIsSlow() throws Exception {
        String origin = "http://" + server.uri().getAuthority();
        Raw right = raw().with("Origin", origin).form("password=correct+horse");
        String cookie = right.ask("POST", "/enter").cookie();
        assertThat(raw().with("Cookie", cookie).get("/api/session").status()).isEqualTo(200);
        assertThat(raw().form("password=correct+horse").ask("POST", "/enter").status())
                .as("without an origin")
                .isEqualTo(403);
        for (int i = 0; i < 10; i++) {
            Raw.Answer wrong =
                    raw().with("Origin", origin).form("password=guess" + i).ask("POST", "/enter");
            assertThat(wrong.status()).isEqualTo(403);
            assertThat(wrong.header("Set-Cookie")).isEmpty();
        }
        // On the page with the form, where a browser shows it: it used to be JSON.
        Raw.Answer wait = right.ask("POST", "/enter");
        assertThat(wait.status()).isEqualTo(429);
        assertThat(wait.header("Content-Type")).startsWith("text/html");
        assertThat(wait.body()).contains("Too many wrong passwords. Wait a minute.", "<form");
        nanos.addAndGet(java.time.Duration.ofSeconds(61).toNanos());
        assertThat(right.ask("POST", "/enter").status()).isEqualTo(200);
        assertThatThrownBy(() -> Access.byPassword("short")).hasMessageContaining("at least 8");
    }

    @Test
    void badBodiesAreRefused() throws Exception {
        String cookie = enter();
        assertThat(change(cookie)
                        .form("what=" + "x".repeat(20_000))
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(413);
        assertThat(change(cookie)
                        .with("Content-Type", "text/plain")
                        .ask("POST", "/api/count")
                        .status())
                .isEqualTo(415);
        assertThat(change(cookie).form("what=%zz").ask("POST", "/api/count").status())
                .isEqualTo(400);
        assertThat(changes).hasValue(0);
    }

    @Test
    void belowAPathOfAnotherServerOnlyThatPathIsServed() throws Exception {
        HttpServer theirs = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        theirs.createContext("/locks", site(HostNames.local()));
        theirs.start();
        try {
            URI uri = WebServer.uri(theirs, false, "/locks/");
            Raw.Answer redirect = Raw.to(uri).get("/locks");
            assertThat(redirect.status()).isEqualTo(308);
            assertThat(redirect.header("Location")).isEqualTo("/locks/");
            assertThat(Raw.to(uri).get("/locks/").status()).isEqualTo(401);
            assertThat(Raw.to(uri).get("/locksmith").status()).isEqualTo(404);
            assertThat(Raw.to(uri)
                            .get("/locks/open?key=" + access.newKey("bob"))
                            .status())
                    .isEqualTo(200);
        } finally {
            theirs.stop(0);
        }
    }

    @Test
    void namesOfHostsAreChecked() {
        for (String name : List.of("", "https://console.example", "console.example:80", "a b", "*", ".", "-x")) {
            assertThatThrownBy(() -> HostNames.local().and(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("without a scheme and a port");
        }
    }
}
