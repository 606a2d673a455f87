package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.dashboard.web.Raw;
import dev.holdfast.dashboard.web.Site;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console without a browser: what it asks of the store, what it tells, what it changes. */
@Timeout(300)
class DashboardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ShownBackend store = new ShownBackend();
    private final Holdfast holdfast = Holdfast.builder(store.backend())
            .describedAs("password=s3cret")
            .closeGrace(Duration.ZERO)
            .build();
    private final Queue<String> audit = new ConcurrentLinkedQueue<>();
    private final Dashboard dashboard =
            Dashboard.builder(holdfast).audit(audit::add).start();
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
        dashboard.close();
        holdfast.close();
    }

    private static String enter(Dashboard console) throws IOException {
        URI link = console.newLink("alice");
        return Raw.to(console.uri())
                .get(link.getRawPath() + "?" + link.getRawQuery())
                .cookie();
    }

    private BufferedReader listen(Dashboard console) throws IOException {
        Socket socket = Raw.to(console.uri()).with("Cookie", enter(console)).send("GET", "/events");
        sockets.add(socket);
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private record Told(String type, JsonObject data) {
        /** Of locks that are new, or changed. */
        JsonArray locks() {
            return data.getAsJsonArray(isWhole() ? "locks" : "set");
        }

        /** After some seconds in which the console did not look, because this machine stood still, all locks are told. */
        boolean isWhole() {
            return type.equals("locks");
        }

        boolean tellsThatItIsFree(String name) {
            return isWhole()
                    ? !data.toString().contains(quoted(name))
                    : data.getAsJsonArray("gone").toString().contains(quoted(name));
        }

        private static String quoted(String name) {
            return '"' + name + '"';
        }
    }

    /** The next event that is meant. */
    private static Told next(BufferedReader events, String what, Predicate<Told> meant) throws IOException {
        String line;
        String type = "";
        long end = System.nanoTime() + PATIENCE.toNanos();
        while ((line = events.readLine()) != null) {
            // Looks go on for ever, so the stream never falls silent.
            assertThat(System.nanoTime()).as("told " + what).isLessThan(end);
            if (line.startsWith("event: ")) {
                type = line.substring("event: ".length());
            } else if (line.startsWith("data: ")) {
                JsonElement data = JsonParser.parseString(line.substring("data: ".length()));
                Told told = new Told(type, data.getAsJsonObject());
                if (meant.test(told)) {
                    return told;
                }
            }
        }
        throw new AssertionError("The console ended the stream before it told " + what);
    }

    /** The next event of this type that has this text in it. */
    private static JsonObject next(BufferedReader events, String type, String part) throws IOException {
        return next(
                        events,
                        type + " with " + part,
                        told -> told.type().equals(type)
                                && told.data().toString().contains(part))
                .data();
    }

    private static Told nextHeld(BufferedReader events, String name) throws IOException {
        return next(
                events,
                name + " is held",
                told -> isAboutLocks(told) && told.locks().toString().contains(Told.quoted(name)));
    }

    private static Told nextFree(BufferedReader events, String name) throws IOException {
        return next(events, name + " is free", told -> isAboutLocks(told) && told.tellsThatItIsFree(name));
    }

    private static boolean isAboutLocks(Told told) {
        return told.isWhole() || told.type().equals("change");
    }

    @Test
    void theStoreIsAskedAtOneRateHoweverManyLookAndNotAtAllWhileNobodyDoes() throws Exception {
        assertThat(store.lists).hasValue(0);
        BufferedReader first = listen(dashboard);
        next(first, "look", "\"ok\":true");
        for (int i = 0; i < 20; i++) {
            next(listen(dashboard), "clock", "");
        }
        // Six looks, as the first of twenty-one browsers is told of them, and as the store counts them. The time is
        // taken
        // around the counting: if this thread stands still in between, both grow.
        long began = System.nanoTime();
        int before = store.lists.get();
        for (int i = 0; i < 6; i++) {
            next(first, "look", "\"ok\":true");
        }
        int asked = store.lists.get() - before;
        long tookMillis = Duration.ofNanos(System.nanoTime() - began).toMillis();
        System.out.println(
                "measured: with 21 pages open the store was listed " + asked + " times in " + tookMillis + " ms");
        assertThat(asked).isLessThanOrEqualTo((int) (tookMillis / 500) + 2);

        for (Socket each : sockets) {
            each.close();
        }
        // Gone browsers are noticed with the next event or two; then it is quiet.
        await().atMost(PATIENCE).until(() -> {
            int seen = store.lists.get();
            Thread.sleep(1500);
            return store.lists.get() == seen;
        });
        // Whoever comes back finds it awake.
        next(listen(dashboard), "look", "\"ok\":true");
    }

    @Test
    void eachSlotOfASemaphoreIsARowOfItsOwnAndIsBrokenAlone() throws Exception {
        // Two slots are held, and a lock of the same name. One slot is broken: the other two must stay.
        String cookie = enter(dashboard);
        Lease lock = holdfast.lock("a/b").acquire(PATIENCE);
        Lease zero = holdfast.semaphore("a/b", 4).acquire(PATIENCE);
        Lease one = holdfast.semaphore("a/b", 4).acquire(PATIENCE);
        assertThat(List.of(zero.slot(), one.slot())).containsExactly(0, 1);
        JsonArray rows = next(listen(dashboard), "locks", "a/b").getAsJsonArray("locks");
        assertThat(rows).hasSize(3);
        assertThat(rows).extracting(row -> row.getAsJsonObject().get("place")).doesNotHaveDuplicates();
        JsonObject broken = rows.get(2).getAsJsonObject();
        assertThat(broken.get("kind").getAsString()).isEqualTo("semaphore");
        assertThat(broken.get("slot").getAsInt()).isEqualTo(1);

        assertThat(breakLock(dashboard, cookie, broken.get("id").getAsString(), "a/b")
                        .status())
                .isEqualTo(200);
        assertThat(holdfast.inspect(LockKey.semaphore("a/b")))
                .extracting(LockState::slot)
                .containsExactly(0);
        assertThat(holdfast.inspect("a/b")).isPresent();
        assertThat(audit).singleElement().asString().startsWith("Broken: semaphore 'a/b', slot 1, tokens ");
        Raw asking = Raw.to(dashboard.uri()).with("Cookie", cookie);
        assertThat(asking.get("/api/history?kind=semaphore&name=a%2Fb").body()).contains("slot 0", "slot 1", "broken");
        assertThat(asking.get("/api/history?name=a%2Fb").body()).doesNotContain("slot", "broken");
        List.of(lock, zero, one).forEach(Lease::close);
    }

    @Test
    void onlyWhatChangedIsTold() throws Exception {
        // What is kept is not renewed: that would be a change. A machine that stands still while the console looks may
        // make it tell more than it needs to: one round of twenty must do.
        Lease kept =
                holdfast.lock("kept").withLease(Duration.ofSeconds(60)).fixed().acquire(PATIENCE);
        BufferedReader events = listen(dashboard);
        JsonArray all = next(events, "locks", "kept").getAsJsonArray("locks");
        assertThat(all).hasSize(1);
        assertThat(all.toString()).doesNotContain("s3cret");
        boolean onlyWhatChanged = false;
        for (int round = 0; round < 20 && !onlyWhatChanged; round++) {
            String name = "more-" + round;
            Lease more = holdfast.lock(name).acquire(PATIENCE);
            Told came = nextHeld(events, name);
            more.close();
            Told went = nextFree(events, name);
            onlyWhatChanged = !came.isWhole()
                    && came.locks().size() == 1
                    && !came.data().toString().contains("kept")
                    && !went.isWhole()
                    && went.locks().isEmpty()
                    && went.data().getAsJsonArray("gone").size() == 1;
        }
        assertThat(onlyWhatChanged).as("in one of twenty rounds").isTrue();
        kept.close();
    }

    @Test
    void breakingEndsExactlyTheTenureThatWasShown() throws Exception {
        // The page shows one holder; it lets go and another comes. Breaking what was shown must not hit the successor.
        String cookie = enter(dashboard);
        Lease first = holdfast.lock("a/b").acquire(PATIENCE);
        BufferedReader events = listen(dashboard);
        String id = id(next(events, "locks", "a/b").getAsJsonArray("locks"));
        first.close();
        nextFree(events, "a/b");
        Lease second = holdfast.lock("a/b").acquire(PATIENCE);
        String now = id(nextHeld(events, "a/b").locks());
        assertThat(now).isNotEqualTo(id);

        assertThat(breakLock(dashboard, cookie, id, "a/b").status()).isEqualTo(409);
        assertThat(breakLock(dashboard, cookie, now, "a/c").status()).isEqualTo(400);
        assertThat(breakLock(dashboard, cookie, "unknown", "a/b").status()).isEqualTo(409);
        assertThat(holdfast.inspect("a/b")).isPresent();
        assertThat(audit).isEmpty();

        assertThat(breakLock(dashboard, cookie, now, "a/b").status()).isEqualTo(200);
        assertThat(holdfast.inspect("a/b")).isEmpty();
        assertThat(audit).singleElement().asString().contains("'a/b'", "tokens", "By alice, from 127.0.0.1");
        assertThat(audit.peek()).doesNotContain("s3cret");
        assertThat(next(events, "audit", "alice").get("line").getAsString()).isEqualTo(audit.peek());
        assertThat(breakLock(dashboard, cookie, now, "a/b").status()).isEqualTo(409);
        assertThat(audit).hasSize(1);
        // A page that is opened later shows it too. It used to show what was broken while it was open.
        assertThat(next(listen(dashboard), "record", "alice").toString()).contains("a/b");
        // The next look, which finds it free, does not tell of another end.
        next(events, "look", "\"count\":0");
        String history = Raw.to(dashboard.uri())
                .with("Cookie", cookie)
                .get("/api/history?name=a%2Fb")
                .body();
        // Found once more, if this machine stood still.
        assertThat(history).matches("(?s).*found.*released.*(taken|found).*broken.*");
        assertThat(history).contains("alice").doesNotContain("s3cret", "ended");
        second.close();
    }

    @Test
    void aBreakWithoutAnAnswerIsPerhapsABreakAndNoRelease() throws Exception {
        // The store breaks the lock and its answer is lost. The history used to say that the holder had released it.
        String cookie = enter(dashboard);
        Lease held = holdfast.lock("a/b").acquire(PATIENCE);
        BufferedReader events = listen(dashboard);
        String id = id(nextHeld(events, "a/b").locks());
        store.losesAnswers = true;
        Raw.Answer answer = breakLock(dashboard, cookie, id, "a/b");
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.body()).contains("Perhaps broken");
        assertThat(audit).singleElement().asString().contains("Perhaps broken", "'a/b'", "By alice");
        next(events, "look", "\"count\":0");
        String history = Raw.to(dashboard.uri())
                .with("Cookie", cookie)
                .get("/api/history?name=a%2Fb")
                .body();
        assertThat(history).contains("perhaps_broken", "alice").doesNotContain("released", "ended");
        assertThat(next(listen(dashboard), "record", "alice").toString()).contains("Perhaps broken");
        held.close();
    }

    /** As many as fit into one chunk of HTTP: these tests read what comes as it is. */
    private static List<LockState> some() {
        return Scene.locks(true).subList(0, 6);
    }

    @Test
    void anErrorEndsOneLookAndNotTheConsole() throws Exception {
        // The memory was short for a moment, in the middle of a list: the thread died, and the page stood still.
        List<LockState> all = some();
        store.shown = all.subList(0, 3);
        BufferedReader events = listen(dashboard);
        String id = id(nextHeld(events, all.get(0).name()).locks());
        store.shown = new AbstractList<>() {
            @Override
            public LockState get(int index) {
                if (index == 4) {
                    throw new OutOfMemoryError("made by the test");
                }
                return all.get(index);
            }

            @Override
            public int size() {
                return all.size();
            }
        };
        next(events, "look", "\"ok\":false");
        store.shown = all;
        nextHeld(events, all.get(3).name());
        JsonArray locks = nextHeld(listen(dashboard), all.get(3).name()).locks();
        assertThat(locks).hasSize(all.size());
        assertThat(id(locks)).isEqualTo(id);
    }

    @Test
    void aPageThatIsOpenedAfterASlowAnswerShowsWhatTheOthersShow() throws Exception {
        // The answer takes 5 s, so the store is not asked again for 20 s. A new page used to show nothing for so long.
        store.shown = some();
        store.slow.set(Duration.ofSeconds(5));
        String name = store.shown.get(0).name();
        nextHeld(listen(dashboard), name);
        // Long after the answer, for a store that is quick.
        long told = System.nanoTime();
        await().atMost(PATIENCE)
                .until(() -> System.nanoTime() - told > Duration.ofSeconds(4).toNanos());
        BufferedReader second = listen(dashboard);
        nextHeld(second, name);
        next(second, "look", "\"ok\":true");
        assertThat(store.lists).hasValue(1);
    }

    private static String id(JsonArray locks) {
        return locks.get(0).getAsJsonObject().get("id").getAsString();
    }

    private static Raw.Answer breakLock(Dashboard console, String cookie, String id, String typed) throws IOException {
        String token =
                Raw.to(console.uri()).with("Cookie", cookie).get("/api/session").field("token");
        return Raw.to(console.uri())
                .with("Cookie", cookie)
                .with("Origin", "http://" + console.uri().getAuthority())
                .with(Site.TOKEN_HEADER, token)
                .form("id=" + id + "&typed=" + URLEncoder.encode(typed, StandardCharsets.UTF_8))
                .ask("POST", "/api/break");
    }

    @Test
    void readOnlyHasNoPathForIt() throws Exception {
        try (Dashboard readOnly = Dashboard.builder(holdfast).readOnly(true).start()) {
            assertThat(breakLock(readOnly, enter(readOnly), "x", "x").status()).isEqualTo(404);
        }
    }

    @Test
    void theStoreIsExaminedOnceForAllWhoAsk() throws Exception {
        String cookie = enter(dashboard);
        long began = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            Raw.Answer answer = Raw.to(dashboard.uri()).with("Cookie", cookie).get("/api/store");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).contains("\"reachable\":true", "\"exclusion\"", "\"findings\"");
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        assertThat(store.diagnoses.get()).isBetween(1, 1 + (int) took.dividedBy(StoreReport.KEPT));
    }

    @Test
    void anAddressForOthersNeedsAPassword() throws Exception {
        InetAddress all = InetAddress.getByName("0.0.0.0");
        assertThatThrownBy(() -> Dashboard.builder(holdfast).listen(all).start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("set a password");
        try (Dashboard open = Dashboard.builder(holdfast)
                .listen(all)
                .password("correct horse")
                .start()) {
            assertThat(Raw.to(open.uri()).get("/").status()).isEqualTo(401);
        }
    }

    @Test
    void besideAnApplicationOnItsOwnServer() throws Exception {
        HttpServer theirs = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        theirs.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        theirs.start();
        Dashboard mounted = Dashboard.builder(holdfast).mount(theirs, "/locks");
        try {
            assertThat(mounted.uri().getPath()).isEqualTo("/locks/");
            URI link = mounted.newLink();
            assertThat(link.getPath()).isEqualTo("/locks/open");
            String cookie = Raw.to(mounted.uri())
                    .get(link.getRawPath() + "?" + link.getRawQuery())
                    .cookie();
            Raw.Answer page = Raw.to(mounted.uri()).with("Cookie", cookie).get("/locks/");
            assertThat(page.body()).contains("Held locks");
            assertThat(Raw.to(mounted.uri()).get("/other").status()).isEqualTo(204);
            // While a page listens, the one thread of that server goes on answering.
            Socket listening = Raw.to(mounted.uri()).with("Cookie", cookie).send("GET", "/locks/events");
            sockets.add(listening);
            BufferedReader events =
                    new BufferedReader(new InputStreamReader(listening.getInputStream(), StandardCharsets.UTF_8));
            next(events, "look", "\"ok\":true");
            assertThat(Raw.to(mounted.uri()).get("/other").status()).isEqualTo(204);
            mounted.close();
            assertThat(Raw.to(mounted.uri()).get("/locks/").status()).isEqualTo(204);
        } finally {
            mounted.close();
            theirs.stop(0);
        }
    }

    @Test
    void closingEndsThePageAndLeavesTheHoldfast() throws Exception {
        BufferedReader events = listen(dashboard);
        next(events, "look", "\"ok\":true");
        dashboard.close();
        dashboard.close();
        assertThatThrownBy(() -> Raw.to(dashboard.uri()).get("/")).isInstanceOf(IOException.class);
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("holdfast-dashboard")));
        assertThat(holdfast.lock("still").tryAcquire()).isPresent();
    }
}
