package dev.holdfast.dashboard;

import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.dashboard.json.LockJson;
import dev.holdfast.dashboard.web.Access;
import dev.holdfast.dashboard.web.Assets;
import dev.holdfast.dashboard.web.EventHub;
import dev.holdfast.dashboard.web.HostNames;
import dev.holdfast.dashboard.web.Reply;
import dev.holdfast.dashboard.web.Request;
import dev.holdfast.dashboard.web.Site;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Puts the parts of the console under their paths. */
final class ConsoleSite {
    private static final Assets PAGE = Assets.beside(
            Dashboard.class,
            "page/",
            "index.html",
            "style.css",
            "icon.svg",
            "app.js",
            "feed.js",
            "table.js",
            "lock.js",
            "holder.js",
            "store.js",
            "dialog.js",
            "format.js");

    private ConsoleSite() {}

    /** What can be chosen about a console. */
    record Settings(boolean readOnly, String label, int limit, int viewers, Duration pause, Consumer<String> audit) {}

    /** The site begins to ask the store when the first browser listens, and ends all of it when it is closed. */
    static Site of(Holdfast holdfast, Settings settings, Access access, HostNames names) {
        AtomicReference<Runnable> audienceChanged = new AtomicReference<>(() -> {});
        EventHub hub = new EventHub(
                settings.viewers,
                () -> Objects.requireNonNull(audienceChanged.get()).run());
        LockBoard board = new LockBoard(hub::publish, holdfast.guarantees().fair());
        StorePoll poll = new StorePoll(holdfast, board, () -> hub.audience() > 0, settings.limit, settings.pause);
        audienceChanged.set(poll::audienceChanged);
        Site.Builder site = Site.builder(access, names)
                .assets(PAGE)
                .get("/api/session", request -> session(request, settings))
                .get("/api/history", request -> Reply.json(board.history(key(request))))
                .get("/api/store", new StoreReport(holdfast, poll::times))
                .events("/events", hub, board::join)
                .onClose(() -> {
                    poll.close();
                    hub.close();
                });
        if (!settings.readOnly) {
            site.change("/api/break", new BreakAction(holdfast, board, poll, new AuditLog(settings.audit)));
        }
        poll.start();
        return site.build();
    }

    private static LockKey key(Request request) {
        String word = request.parameter("kind");
        for (LockKind kind : LockKind.values()) {
            if (LockJson.word(kind).equals(word)) {
                return new LockKey(kind, request.parameter("name"));
            }
        }
        return LockKey.lock(request.parameter("name"));
    }

    private static Reply session(Request request, Settings settings) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("token", request.session().token());
        fields.put("who", request.session().who());
        fields.put("readOnly", settings.readOnly);
        fields.put("store", settings.label);
        fields.put("limit", settings.limit);
        return Reply.json(fields);
    }
}
