package dev.holdfast.lab.web;

import dev.holdfast.lab.stage.AccountView;
import dev.holdfast.lab.stage.Board;
import dev.holdfast.lab.stage.ClientView;
import dev.holdfast.lab.stage.LaneView;
import dev.holdfast.lab.stage.ServerView;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.stage.Vote;
import dev.holdfast.lab.story.Director;
import dev.holdfast.lab.story.Playing;
import dev.holdfast.lab.story.Story;
import dev.holdfast.lab.wire.Lane;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The board as the page reads it: maps and lists. */
final class Snapshot {
    private static final int LINES_SHOWN = 40;

    private final Stage stage;
    private final Director director;
    private final Board board;

    Snapshot(Stage stage, Director director) {
        this.stage = stage;
        this.director = director;
        this.board = stage.board();
    }

    /** Of one moment. */
    Map<String, Object> take() {
        return board.read(() -> {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("servers", board.servers.stream().map(Snapshot::server).toList());
            all.put("clients", board.clients.stream().map(Snapshot::client).toList());
            all.put("links", board.links.stream().map(Snapshot::links).toList());
            all.put("accounts", accounts());
            all.put("guarded", board.guarded);
            all.put("plain", director.showsPlain());
            all.put("clocks", stage.whyNoClocks());
            all.put("stories", Story.ALL.stream().map(Snapshot::story).toList());
            all.put("playing", playing(director.playing()));
            all.put("touring", director.isTouring());
            all.put("flights", flights());
            all.put("lines", lines());
            return all;
        });
    }

    private static Map<String, Object> server(ServerView view) {
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Map.Entry<Lane, Vote> each : view.kept.entrySet()) {
            Vote vote = each.getValue();
            kept.put(
                    each.getKey().id(),
                    Map.of("client", vote.client(), "token", Long.toString(vote.token()), "left", vote.leftMillis()));
        }
        return Map.of(
                "port", view.port,
                "condition", id(view.condition),
                "votes", view.votes,
                "watched", view.watchedMillis,
                "watchFor", view.watchForMillis,
                "ahead", view.aheadMillis,
                "rate", view.clockRate,
                "kept", kept);
    }

    private static Map<String, Object> client(ClientView view) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", view.name);
        all.put("pid", view.pid);
        all.put("frozen", view.frozen);
        all.put("connected", view.connected);
        all.put("working", view.working);
        for (Lane lane : Lane.values()) {
            LaneView seen = view.lane(lane);
            all.put(
                    lane.id(),
                    Map.of(
                            "state",
                            id(seen.state),
                            "token",
                            Long.toString(seen.token),
                            "votes",
                            seen.votes,
                            "lease",
                            seen.leaseMillis,
                            "left",
                            seen.leftMillis,
                            "refused",
                            seen.count("refused")));
        }
        return all;
    }

    private static List<Boolean> links(boolean[] whole) {
        List<Boolean> all = new ArrayList<>();
        for (boolean each : whole) {
            all.add(each);
        }
        return all;
    }

    private Map<String, Object> accounts() {
        Map<String, Object> all = new LinkedHashMap<>();
        board.accounts.forEach((lane, view) -> all.put(lane.id(), account(view)));
        return all;
    }

    private static Map<String, Object> account(AccountView view) {
        return Map.of(
                "balance", view.balance(),
                "due", view.due(),
                "newest", Long.toString(view.newest()),
                "entries", view.entries());
    }

    private static Map<String, Object> story(Story story) {
        return Map.of("id", story.id(), "title", story.title(), "about", story.about());
    }

    private static Map<String, Object> playing(@Nullable Playing playing) {
        if (playing == null) {
            return Map.of();
        }
        return Map.of(
                "id",
                playing.story.id(),
                "number",
                playing.number,
                "title",
                playing.story.title(),
                "withPlain",
                playing.withPlain,
                "state",
                id(playing.state),
                "sentences",
                List.copyOf(playing.sentences),
                "problem",
                playing.problem,
                "facts",
                playing.facts.stream()
                        .map(fact -> Map.of("lane", fact.lane().id(), "harm", fact.harm(), "text", fact.text()))
                        .toList());
    }

    private List<Map<String, Object>> flights() {
        return board.flights().stream()
                .<Map<String, Object>>map(flight -> Map.of(
                        "number", flight.number(),
                        "server", flight.server(),
                        "client", flight.client(),
                        "lane", flight.lane().id(),
                        "kind", flight.kind().id()))
                .toList();
    }

    private List<Map<String, Object>> lines() {
        var all = board.lines();
        return all.subList(Math.max(0, all.size() - LINES_SHOWN), all.size()).stream()
                .<Map<String, Object>>map(line -> Map.of(
                        "number", line.number(),
                        "millis", line.millis(),
                        "who", line.who(),
                        "tone", line.tone(),
                        "text", line.text()))
                .toList();
    }

    private static String id(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
