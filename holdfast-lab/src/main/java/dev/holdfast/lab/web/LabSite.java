package dev.holdfast.lab.web;

import dev.holdfast.dashboard.web.Access;
import dev.holdfast.dashboard.web.Assets;
import dev.holdfast.dashboard.web.Event;
import dev.holdfast.dashboard.web.EventHub;
import dev.holdfast.dashboard.web.HostNames;
import dev.holdfast.dashboard.web.Reply;
import dev.holdfast.dashboard.web.Request;
import dev.holdfast.dashboard.web.Site;
import dev.holdfast.lab.stage.Servers;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.story.Director;
import dev.holdfast.lab.story.Story;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The page, what it shows, and what visitors can do on it. */
public final class LabSite {
    private static final int MOST_BROWSERS = 16;
    private static final Duration AT_LEAST_EVERY = Duration.ofSeconds(1);
    private static final long AT_MOST_EVERY_MILLIS = 80;

    private final Stage stage;
    private final Director director;
    private final Snapshot snapshot;
    private final EventHub hub = new EventHub(MOST_BROWSERS, () -> {});
    private final Thread publisher = new Thread(this::publish, "holdfast-lab-publisher");

    private LabSite(Stage stage, Director director) {
        this.stage = stage;
        this.director = director;
        this.snapshot = new Snapshot(stage, director);
    }

    /** Begins to publish. Ends with the site. */
    public static Site of(Stage stage, Director director, Access access) {
        LabSite lab = new LabSite(stage, director);
        lab.publisher.setDaemon(true);
        lab.publisher.start();
        return Site.builder(access, HostNames.local())
                .assets(Assets.beside(
                        LabSite.class,
                        "page/",
                        "index.html",
                        "lab.css",
                        "lab.js",
                        "drawing.js",
                        "panels.js",
                        "icon.svg"))
                .get(
                        "/session",
                        request -> Reply.json(Map.of("token", request.session().token())))
                .events("/events", lab.hub, viewer -> viewer.join(List.of(lab.event())))
                .change("/do", lab::act)
                .onClose(lab::close)
                .build();
    }

    private Event event() {
        return Event.of("state", snapshot.take());
    }

    private void publish() {
        long seen = -1;
        try {
            while (true) {
                seen = stage.board().awaitChange(seen, AT_LEAST_EVERY);
                if (hub.audience() > 0) {
                    hub.publish(event());
                }
                Thread.sleep(AT_MOST_EVERY_MILLIS);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private Reply act(Request request) throws InterruptedException {
        try {
            deed(request);
            return Reply.json(Map.of("done", true));
        } catch (IllegalArgumentException e) {
            return Reply.refusal(400, String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            return Reply.refusal(409, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return Reply.refusal(500, String.valueOf(e.getMessage()));
        }
    }

    private void deed(Request request) throws IOException, InterruptedException {
        boolean on = Boolean.parseBoolean(request.parameter("on"));
        switch (request.parameter("what")) {
            case "play" -> director.play(Story.of(request.parameter("story")));
            case "tour" -> director.tour();
            case "stop" -> director.stop();
            case "start-over" -> director.startOver();
            case "plain" -> director.showPlain(on);
            case "guard" -> director.act(any -> any.guard(on));
            case "kill" -> onServer(request, Servers::kill);
            case "revive" -> onServer(request, (servers, server) -> servers.revive(server, on));
            case "freeze-server" -> onServer(request, on ? Servers::freeze : Servers::thaw);
            case "clock" -> onServer(request, on ? Servers::runClockFast : Servers::runClockRight);
            case "freeze-client" -> onClient(request, on ? Stage::freezeClient : Stage::thawClient);
            case "work" -> onClient(request, (any, client) -> any.work(client, on, Director.LEASE, director.lanes()));
            case "link" -> {
                int server = number(request, "server", Stage.SERVERS);
                onClient(request, (any, client) -> {
                    if (on) {
                        any.links().mend(client, server);
                    } else {
                        any.links().cut(client, server);
                    }
                });
            }
            default ->
                throw new IllegalArgumentException("Nothing is called '" + request.parameter("what") + "' here.");
        }
    }

    private interface Deed<T> {
        void on(T things, int number) throws IOException, InterruptedException;
    }

    private void onServer(Request request, Deed<Servers> deed) throws IOException, InterruptedException {
        int server = number(request, "server", Stage.SERVERS);
        director.act(any -> deed.on(any.servers(), server));
    }

    private void onClient(Request request, Deed<Stage> deed) throws IOException, InterruptedException {
        int client = number(request, "client", Stage.CLIENTS.size());
        director.act(any -> deed.on(any, client));
    }

    private static int number(Request request, String name, int count) {
        String text = request.parameter(name);
        if (!text.matches("[0-9]") || Integer.parseInt(text) >= count) {
            throw new IllegalArgumentException("There is no " + name + " '" + text + "'.");
        }
        return Integer.parseInt(text);
    }

    private void close() {
        publisher.interrupt();
        hub.close();
    }
}
