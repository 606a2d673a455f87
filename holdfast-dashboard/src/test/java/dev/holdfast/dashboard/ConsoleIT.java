package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.dashboard.web.Browser;
import dev.holdfast.dashboard.web.InBrowser;
import dev.holdfast.dashboard.web.Page;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console in a real browser, over a real Redis. */
@InBrowser
@Timeout(900)
class ConsoleIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MOST_ROUNDS = 20;
    private static final int MANY = 10_000;

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @RegisterExtension
    static final Browser browser = new Browser();

    private final Queue<String> audit = new ConcurrentLinkedQueue<>();
    private Holdfast operator;
    private Holdfast worker;
    private Holdfast rival;
    private Dashboard dashboard;

    @BeforeEach
    void start() {
        operator = holdfast("operator");
        worker = holdfast("nightly report");
        rival = holdfast("monthly report");
        dashboard = Dashboard.builder(operator)
                .audit(audit::add)
                .label(redis.url("user", "s3cret"))
                .start();
    }

    private static Holdfast holdfast(String description) {
        return holdfast(redis, description);
    }

    private static Holdfast holdfast(RedisServer server, String description) {
        return Holdfast.builder(RedisBackend.connect(server.url()))
                .describedAs(description)
                .lease(PATIENCE)
                // Ten thousand are asked for at once, and may wait for each other on a busy machine.
                .unavailableAfter(PATIENCE.multipliedBy(2))
                .closeGrace(Duration.ZERO)
                .build();
    }

    @AfterEach
    void stop() {
        dashboard.close();
        List.of(worker, rival, operator).forEach(Holdfast::close);
    }

    private Page open() {
        Page page = browser.open(dashboard.newLink("alice"));
        page.untilText("#status", "Live");
        return page;
    }

    private static String rowOf(String name) {
        return "[...document.querySelectorAll('.row:not([hidden])')].find(row => row.querySelector('.name').textContent === "
                + new Gson().toJson(name) + ")";
    }

    @Test
    void aLockIsShownWithinASecondOfItsGrantAndDroppedWithinASecondOfItsRelease() throws Exception {
        // The page notes when the row came and went, by the clock of this machine, which is also that of the test. A
        // busy machine may
        // be late once: one round of twenty must do. A console that looks every few seconds does not: the release
        // follows the
        // look that showed the lock, so it would be dropped a whole pause later in every round.
        try (Page page = open()) {
            boolean inTime = false;
            for (int round = 0; round < MOST_ROUNDS && !inTime; round++) {
                String name = "invoice-" + round;
                page.evaluate("window.came = window.went = 0; window.watch?.disconnect();"
                        + " window.watch = new MutationObserver(() => { const there = " + rowOf(name)
                        + "; if (there && !came) came = Date.now(); if (!there && came && !went) went = Date.now(); });"
                        + " watch.observe(document.getElementById('table'),"
                        + " {subtree: true, childList: true, attributes: true, characterData: true})");
                Lease lease = worker.lock(name).acquire(PATIENCE);
                long granted = System.currentTimeMillis();
                page.until("came");
                lease.close();
                long released = System.currentTimeMillis();
                page.until("went");
                long shownAfter = page.evaluate("came").getAsLong() - granted;
                long droppedAfter = page.evaluate("went").getAsLong() - released;
                System.out.println("measured: the console showed a lock after " + shownAfter
                        + " ms and dropped it after " + droppedAfter + " ms");
                inTime = shownAfter < 1000 && droppedAfter < 1000;
            }
            assertThat(inTime)
                    .as("in time in one of " + MOST_ROUNDS + " rounds")
                    .isTrue();
            assertThat(page.problems()).isEmpty();
        }
    }

    @Test
    void aRowSaysWhoHoldsAndWhoWaits() throws Exception {
        try (Page page = open();
                Lease lease = worker.lock("invoice-42").acquire(PATIENCE)) {
            CompletableFuture<Lease> waiting = rival.lock("invoice-42").acquireAsync();
            page.until(rowOf("invoice-42") + ".querySelector('.c-waiting').innerText.startsWith('1')");
            String row = page.evaluate(rowOf("invoice-42") + ".innerText").getAsString();
            assertThat(row)
                    .contains(
                            "invoice-42",
                            "nightly report",
                            Long.toString(ProcessHandle.current().pid()));
            assertThat(row).contains(lease.token().toString());
            page.evaluate("location.hash = '#/lock/invoice-42'");
            page.untilText("#queue", "monthly report");
            page.untilText("#holder", "nightly report");
            // A console that stood still for some seconds does not know whether it was taken meanwhile.
            page.until("/taken|was held when/.test(document.querySelector('#history').innerText)");
            assertThat(page.text("#holder")).contains("Tokens", lease.token().toString(), "unless renewed");
            waiting.cancel(true);
            page.untilText("#queue", "Nobody waits");
        }
    }

    @Test
    void withTheKeyboardAloneALockIsFoundAndBroken() throws Exception {
        // Slash, a search, down, Enter; Tab to the button; the name typed, first wrongly. The waiting process gets the
        // lock.
        try (Page page = open();
                Lease lease = worker.lock("order/7").acquire(PATIENCE);
                Lease other = worker.lock("order/8").acquire(PATIENCE)) {
            CompletableFuture<Lease> next = rival.lock("order/7").acquireAsync();
            page.until(rowOf("order/7") + ".querySelector('.c-waiting').innerText.startsWith('1')");
            page.press("/");
            page.until("document.activeElement.id === 'search'");
            page.type("ORDER/7");
            page.until("!" + rowOf("order/8") + " && " + rowOf("order/7"));
            page.press("Enter");
            page.press("ArrowDown");
            page.until(rowOf("order/7") + ".getAttribute('aria-selected') === 'true'");
            page.press("Enter");
            page.until("location.hash === '#/lock/order%2F7' && !document.getElementById('break').hidden");
            tabTo(page, "break");
            page.press("Enter");
            page.until("document.getElementById('dialog').open && document.activeElement.id === 'typed'");
            assertThat(page.text("#dialog"))
                    .contains(
                            "nightly report",
                            lease.token().toString(),
                            "two may work at the same time",
                            "The first of 1");
            page.type("order/8");
            assertThat(page.is("document.getElementById('confirm').disabled")).isTrue();
            page.press("Escape");
            page.until("!document.getElementById('dialog').open");
            assertThat(audit).isEmpty();
            page.press("Enter");
            page.until("document.getElementById('dialog').open && document.activeElement.id === 'typed'");
            page.type("order/7");
            page.until("!document.getElementById('confirm').disabled");
            page.press("Enter");
            page.until("!document.getElementById('dialog').open");
            Lease taken = next.get(60, TimeUnit.SECONDS);
            assertThat(taken.token().isNewerThan(lease.token())).isTrue();
            await().atMost(PATIENCE).until(() -> !audit.isEmpty());
            assertThat(audit)
                    .singleElement()
                    .asString()
                    .contains("'order/7'", lease.token().toString(), "nightly report", "By alice, from 127.0.0.1");
            page.untilText("#history", "broken by alice");
            page.untilText("#holder", "monthly report");
            page.press("Escape");
            page.untilText("#audit-lines", "By alice, from 127.0.0.1");
            // A page that is opened later shows it, too.
            try (Page later = open()) {
                later.untilText("#audit-lines", "By alice, from 127.0.0.1");
            }
            assertThat(other.isValid()).isTrue();
            taken.close();
            assertThat(page.problems()).isEmpty();
        }
    }

    private static void tabTo(Page page, String id) {
        for (int i = 0; i < 20 && !page.is("document.activeElement.id === '" + id + "'"); i++) {
            page.press("Tab");
        }
        assertThat(page.is("document.activeElement.id === '" + id + "'")).isTrue();
    }

    @Test
    void aNameThatIsMarkupIsShownAsTextAndCanBeBroken() throws Exception {
        // A script, an image with a handler, a mark that turns the direction of writing: in names and in a description.
        String script = "<script>window.hit = 1</script>";
        String image = "\"'><img src=x onerror=window.hit=1>";
        String turned = "abc\u202etxt.exe";
        Lease first = worker.lock(script).describedAs(image).acquire(PATIENCE);
        Lease second = worker.lock(turned).acquire(PATIENCE);
        try (Page page = open()) {
            page.until(rowOf(script));
            assertThat(page.evaluate(rowOf(script) + ".innerText").getAsString())
                    .contains(script, image);
            page.until(rowOf("abc\\u202etxt.exe"));
            page.evaluate(rowOf(script) + ".click()");
            page.untilText("#title-lock", script);
            page.untilText("#holder", image);
            page.click("#break");
            page.until("document.getElementById('dialog').open");
            page.type(script);
            page.press("Enter");
            page.until("!document.getElementById('dialog').open");
            page.untilText("#history", "broken");
            assertThat(page.is("window.hit")).isFalse();
            assertThat(page.is("document.querySelector('#main img, #main script, #dialog img')"))
                    .isFalse();
            assertThat(page.problems()).isEmpty();
            // What cannot be typed is typed as it is shown.
            page.evaluate("location.hash = '#/lock/' + encodeURIComponent(" + new Gson().toJson(turned) + ")");
            page.untilText("#holder", "nightly report");
            page.click("#break");
            page.until("document.getElementById('dialog').open");
            page.type("abc\\u202etxt.exe");
            page.until("!document.getElementById('confirm').disabled");
            // The server checks what was typed, so that is what it must get.
            page.evaluate("const send = window.fetch; window.fetch = (to, what) => {"
                    + " window.typed = what?.body?.get('typed') ?? window.typed; return send(to, what); }");
            page.press("Enter");
            page.untilText("#holder", "Nobody holds this lock now");
            assertThat(page.evaluate("typed").getAsString()).isEqualTo("abc\\u202etxt.exe");
            // The page may see it before the one who broke it has written it down.
            await().atMost(PATIENCE).until(() -> audit.size() >= 2);
            assertThat(audit).hasSize(2).noneMatch(line -> line.contains("\u202e"));
        }
        first.close();
        second.close();
    }

    @Test
    void aReadOnlyConsoleHasNoButtonAndNoPath() throws Exception {
        try (Dashboard readOnly = Dashboard.builder(operator).readOnly(true).start();
                Page page = browser.open(readOnly.newLink());
                Lease lease = worker.lock("kept").acquire(PATIENCE)) {
            page.until(rowOf("kept"));
            page.evaluate("location.hash = '#/lock/kept'");
            page.untilText("#holder", "nightly report");
            assertThat(page.is("document.getElementById('break')")).isFalse();
            assertThat(page.text("header")).contains("read-only");
            String status = "fetch('api/session').then(r => r.json()).then(s => fetch('api/break', {method: 'POST',"
                    + " headers: {'X-Holdfast-Token': s.token}, body: new URLSearchParams({id: 'x', typed: 'kept'})}))"
                    + ".then(r => r.status)";
            assertThat(page.evaluate(status).getAsInt()).isEqualTo(404);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aWrongOrUsedSecretOpensNothing() {
        URI link = dashboard.newLink("alice");
        try (Page page = browser.open(dashboard.uri().resolve("open?key=wrong"))) {
            assertThat(page.text("main")).contains("This link is wrong, or it was used before");
            page.go(dashboard.uri());
            assertThat(page.text("main")).contains("opened by a link that is good once");
            assertThat(page.evaluate("fetch('api/session').then(r => r.status)").getAsInt())
                    .isEqualTo(401);
            page.go(link);
            page.untilText("#status", "Live");
            // The address line keeps no secret, no script sees the cookie, and the page names no password.
            assertThat(page.evaluate("location.href").getAsString())
                    .isEqualTo(dashboard.uri().toString());
            assertThat(page.evaluate("document.cookie").getAsString()).isEmpty();
            assertThat(page.evaluate("document.documentElement.outerHTML").getAsString())
                    .doesNotContain("s3cret")
                    .contains("***@");
        }
        try (Page other = browser.open(link)) {
            assertThat(other.text("main")).contains("it was used before");
        }
    }

    @Test
    void tenThousandLocksStayUsable() throws Exception {
        // A server of their own: they are left there.
        try (RedisServer own = RedisServer.embedded().start();
                Holdfast holder = holdfast(own, "stock-taking");
                Holdfast looking = holdfast(own, "operator");
                Dashboard console = Dashboard.serve(looking)) {
            List<CompletableFuture<Lease>> taken = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                taken.add(
                        holder.lock(String.format(Locale.ROOT, "stock/%05d", i)).acquireAsync());
            }
            CompletableFuture.allOf(taken.toArray(CompletableFuture[]::new)).get(4, TimeUnit.MINUTES);
            try (Page page = browser.open(console.newLink())) {
                page.untilText("#count", "10,000 locks");
                assertThat(page.evaluate("document.querySelectorAll('.row').length")
                                .getAsInt())
                        .isLessThan(100);
                find(page, "07777");
                page.evaluate("document.getElementById('search').value = ''; document.getElementById('search')"
                        + ".dispatchEvent(new Event('input'))");
                page.untilText("#count", "10,000 locks");
                page.press("Enter");
                page.press("End");
                page.until(rowOf("stock/09999") + ".getAttribute('aria-selected') === 'true'");
                // The longest time in which the page did not react, while all are sorted ten times and changes go on.
                page.evaluate(
                        "window.longest = 0; window.last = performance.now(); setInterval(() => {"
                                + " const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 10)");
                for (int i = 0; i < 10; i++) {
                    page.evaluate("document.querySelectorAll('.head button')[" + i % 6 + "].click()");
                    taken.get(i).join().close();
                }
                page.untilText("#count", "9,990 locks");
                System.out.println("measured: with ten thousand locks the page stood still for "
                        + Math.round(page.evaluate("longest").getAsDouble()) + " ms at most");
                assertThat(page.problems()).isEmpty();
            }
        }
    }

    private static void find(Page page, String part) {
        page.click("#search");
        long asked = System.nanoTime();
        page.type(part);
        page.untilText("#count", "1 of 10,000 locks");
        page.until(rowOf("stock/" + part));
        System.out.println("measured: one of ten thousand locks was found in the page after "
                + Duration.ofNanos(System.nanoTime() - asked).toMillis() + " ms");
    }

    @Test
    void whatIsOldIsNotShownAsTrueWhenTheStoreStops() throws Exception {
        try (RedisServer own = RedisServer.embedded().start();
                Holdfast looking = Holdfast.builder(RedisBackend.connect(own.url()))
                        .unavailableAfter(Duration.ofSeconds(1))
                        .closeGrace(Duration.ZERO)
                        .build();
                Dashboard console = Dashboard.serve(looking);
                Page page = browser.open(console.newLink())) {
            page.untilText("#status", "Live");
            own.kill();
            page.untilText("#status", "The store does not answer");
            assertThat(page.is("document.body.classList.contains('old')")).isTrue();
            own.restart();
            page.untilText("#status", "Live");
        }
    }

    @Test
    void aPageWhoseConsoleHasEndedSaysSo() {
        Page page = open();
        dashboard.close();
        page.untilText("#status", "The console does not answer");
        page.close();
    }
}
