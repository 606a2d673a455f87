package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.http.WebServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the filter lets through and what it answers, in a real container. */
class TokenFilterIT {
    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private final InMemoryTokenGuard guard = new InMemoryTokenGuard();
    private WebServer server;

    /** Notes what it was asked to do. */
    @SuppressWarnings("serial")
    private final class Handler extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            handled.add(request.getMethod() + " " + request.getRequestURI());
            response.getWriter()
                    .write(PresentedToken.find(request)
                            .map(PresentedToken::resource)
                            .orElse("none"));
        }
    }

    private void start(TokenFilter.Builder filter) {
        stop();
        server = new WebServer(context -> {
            context.addServlet("handler", new Handler()).addMapping("/*");
            filter.build().addTo(context, "/orders/*");
        });
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    private static void assertProblem(HttpResponse<String> response, int status, String type) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(value -> assertThat(value).startsWith("application/problem+json"));
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body())
                .startsWith("{\"type\":\"tag:holdfast.dev,2026:" + type + "\",\"title\":\"")
                .contains("\"status\":" + status + ",")
                .endsWith("}");
    }

    @Test
    void anOlderTokenIsRefusedAndTheHandlerDoesNotRun() throws Exception {
        start(TokenFilter.announcingAt(guard));
        assertThat(server.put("/orders/7", "", 34).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = server.put("/orders/7", "", 33);
        assertProblem(refused, 409, "stale-token");
        assertThat(refused.body())
                .contains("Token 33 came with a lease that is over")
                .doesNotContain("34");
        assertThat(server.put("/orders/7", "", 34).statusCode()).as("a repeat").isEqualTo(200);
        assertThat(server.put("/orders/8", "", 33).statusCode())
                .as("another resource")
                .isEqualTo(200);
        assertThat(handled).containsExactly("PUT /orders/7", "PUT /orders/7", "PUT /orders/8");
    }

    @Test
    void allMethodsThatWriteAreChecked() throws Exception {
        start(TokenFilter.announcingAt(guard));
        server.put("/orders/7", "", 34);
        for (String method : List.of("PUT", "POST", "PATCH", "DELETE", "LOCK", "get")) {
            assertProblem(server.send(method, "/orders/7", "", "Holdfast-Token", "33"), 409, "stale-token");
            assertProblem(server.send(method, "/orders/7", ""), 428, "missing-token");
        }
        assertThat(handled).hasSize(1);
    }

    @Test
    void aReadWithATokenShutsEarlierHoldersOut() throws Exception {
        // The new holder reads before it writes: a stale write must not land in between.
        start(TokenFilter.announcingAt(guard));
        HttpResponse<String> read = server.get("/orders/7", 34);
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.headers().allValues("Vary")).containsExactly("Holdfast-Token");
        assertProblem(server.put("/orders/7", "", 33), 409, "stale-token");
        assertProblem(server.get("/orders/7", 33), 409, "stale-token");
    }

    @Test
    void aReadWithoutATokenPassesAndIsNotCachedForThoseWithOne() throws Exception {
        start(TokenFilter.announcingAt(guard));
        for (String method : List.of("GET", "HEAD", "OPTIONS")) {
            HttpResponse<String> read = server.send(method, "/orders/7", "");
            assertThat(read.statusCode()).isEqualTo(200);
            assertThat(read.headers().allValues("Vary")).containsExactly("Holdfast-Token");
        }
        assertThat(handled).hasSize(3);
    }

    @Test
    void aMissingTokenCanBeABadRequest() throws Exception {
        start(TokenFilter.announcingAt(guard).missingStatus(400));
        assertProblem(server.send("PUT", "/orders/7", ""), 400, "missing-token");
        assertThat(handled).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenFilter.checkedByHandlers().missingStatus(200));
    }

    @Test
    void aMalformedTokenIsRefusedForReadsToo() throws Exception {
        start(TokenFilter.announcingAt(guard));
        for (String text : List.of("", "0", "-1", "34, 34", "34,35", "x", "0:34", "9223372036854775808")) {
            assertProblem(server.put("/orders/7", "", text), 400, "malformed-token");
            assertProblem(server.get("/orders/7", text), 400, "malformed-token");
        }
        HttpResponse<String> twice =
                server.send("PUT", "/orders/7", "", "Holdfast-Token", "34", "Holdfast-Token", "34");
        assertProblem(twice, 400, "malformed-token");
        assertThat(handled).isEmpty();
        assertThat(guard.fence("/orders/7").inspect().newest()).isEmpty();
    }

    @Test
    void aTokenFarAheadOfTheClockRaisesNothing() throws Exception {
        // One request with the largest token used to be enough to lock everybody out for ever.
        Instant now = Instant.parse("2026-11-17T00:00:00Z");
        start(TokenFilter.announcingAt(guard).clock(Clock.fixed(now, ZoneOffset.UTC)));
        long limit = now.plus(Duration.ofMinutes(5)).toEpochMilli() * 1000;
        assertProblem(server.put("/orders/7", "", Long.MAX_VALUE), 400, "token-out-of-range");
        assertProblem(server.put("/orders/7", "", limit + 1), 400, "token-out-of-range");
        assertThat(guard.fence("/orders/7").inspect().newest()).isEmpty();
        assertThat(server.put("/orders/7", "", limit).statusCode()).isEqualTo(200);
    }

    @Test
    void theBoundAheadOfTheClockCanBeSetAndLifted() throws Exception {
        Instant now = Instant.parse("2026-11-17T00:00:00Z");
        Clock clock = Clock.fixed(now, ZoneOffset.UTC);
        long micros = now.toEpochMilli() * 1000;
        start(TokenFilter.announcingAt(guard).clock(clock).tokensAhead(Duration.ZERO));
        assertProblem(server.put("/orders/7", "", micros + 1), 400, "token-out-of-range");
        assertThat(server.put("/orders/7", "", micros).statusCode()).isEqualTo(200);
        start(TokenFilter.announcingAt(guard).clock(clock).tokensOfAnySize());
        assertThat(server.put("/orders/7", "", Long.MAX_VALUE).statusCode()).isEqualTo(200);
    }

    @Test
    void aGenerationAboveTheServersIsRefused() throws Exception {
        // A path that was never guarded takes the generation of its first token, and guards move upwards only.
        start(TokenFilter.announcingAt(guard));
        assertProblem(server.put("/orders/7", "", "1:34"), 400, "token-out-of-range");
        assertThat(server.put("/orders/7", "", "34").statusCode()).isEqualTo(200);
    }

    @Test
    void aMovedGuardAcceptsItsGenerationOnly() throws Exception {
        start(TokenFilter.announcingAt(guard).upToGeneration(1));
        assertThat(server.put("/orders/7", "", "34").statusCode()).isEqualTo(200);
        HttpResponse<String> early = server.put("/orders/7", "", "1:2");
        assertProblem(early, 409, "wrong-generation");
        assertThat(early.body()).contains("Generation 1 was presented, and the guard accepts generation 0");
        var fence = guard.fence("/orders/7");
        assertThat(fence.move(fence.inspect(), 1, "test")).isTrue();
        assertThat(server.put("/orders/7", "", "1:2").statusCode()).isEqualTo(200);
        assertProblem(server.put("/orders/7", "", "35"), 409, "wrong-generation");
        assertProblem(server.put("/orders/7", "", "1:1"), 409, "stale-token");
    }

    @Test
    void spellingsOfOnePathHaveOneGuard() throws Exception {
        start(TokenFilter.announcingAt(guard));
        server.put("/orders/7", "", 34);
        for (String path : List.of("/orders/7/", "/orders/%37", "/%6frders/7", "/orders/7?a=b", "/orders/7?34")) {
            assertProblem(server.put(path, "", 33), 409, "stale-token");
        }
        for (String path : List.of(
                "/orders//7",
                "/orders/./7",
                "/orders/x/../7",
                "/orders/%2e/7",
                "/orders;a=b/7",
                "/orders/7;a",
                "/orders/%2537")) {
            assertProblem(server.put(path, "", 35), 400, "ambiguous-path");
        }
        assertThat(handled).hasSize(1);
    }

    @Test
    void aPathThatNoGuardCanKeepIsRefused() throws Exception {
        start(TokenFilter.announcingAt(guard));
        assertThat(server.put("/orders/" + "x".repeat(504), "", 34).statusCode())
                .isEqualTo(200);
        assertProblem(server.put("/orders/" + "x".repeat(505), "", 34), 414, "path-too-long");
        assertProblem(server.put("/orders/" + "%C3%A9".repeat(253), "", 34), 414, "path-too-long");
    }

    @Test
    void resourcesCanBeNamedByWhatHandlersTakeThemFor() throws Exception {
        Pattern order = Pattern.compile("/orders/0*([0-9]+)(/lines/.*)?");
        start(TokenFilter.announcingAt(guard)
                .except(path -> path.equals("/orders"))
                .resources(path -> {
                    var matcher = order.matcher(path);
                    if (!matcher.matches()) {
                        throw new IllegalArgumentException("Not the path of an order.");
                    }
                    return "order-" + matcher.group(1);
                }));
        assertThat(server.put("/orders/7", "", 34).body()).isEqualTo("order-7");
        assertProblem(server.put("/orders/007", "", 33), 409, "stale-token");
        assertProblem(server.put("/orders/7/lines/1", "", 33), 409, "stale-token");
        HttpResponse<String> other = server.put("/orders/seven", "", 34);
        assertProblem(other, 400, "ambiguous-path");
        assertThat(other.body()).contains("Not the path of an order.");
        assertThat(server.send("POST", "/orders", "").body()).as("not guarded").isEqualTo("none");
    }

    @Test
    void aGuardThatCannotBeAskedLetsNobodyThrough() throws Exception {
        for (Exception failure : List.of(
                new SQLException("no connection"),
                new IllegalStateException("closed"),
                new InterruptedException(),
                new IllegalArgumentException("no such table"))) {
            start(TokenFilter.announcingAt((resource, presented) -> {
                throw failure;
            }));
            HttpResponse<String> refused = server.put("/orders/7", "", 34);
            assertProblem(refused, 503, "guard-unavailable");
            assertThat(refused.headers().firstValue("Retry-After")).contains("5");
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void howLongToWaitForTheGuardCanBeSet() throws Exception {
        start(TokenFilter.announcingAt((resource, presented) -> {
                    throw new IOException("away");
                })
                .retryAfter(Duration.ofSeconds(30)));
        assertThat(server.put("/orders/7", "", 34).headers().firstValue("Retry-After"))
                .contains("30");
        TokenFilter.Builder filter = TokenFilter.announcingAt(guard);
        assertThatIllegalArgumentException().isThrownBy(() -> filter.retryAfter(Duration.ofMillis(10)));
        assertThatIllegalArgumentException().isThrownBy(() -> filter.tokensAhead(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> filter.upToGeneration(-1));
    }

    @Test
    void aSecondFilterOfTheSameNameIsNotIgnored() {
        Function<TokenFilter, WebServer> twice = filter -> new WebServer(context -> {
            filter.addTo(context, "/orders/*");
            assertThatIllegalStateException()
                    .isThrownBy(() -> TokenFilter.announcingAt(guard).build().addTo(context, "/accounts/*"));
        });
        twice.apply(TokenFilter.announcingAt(guard).build()).close();
    }
}
