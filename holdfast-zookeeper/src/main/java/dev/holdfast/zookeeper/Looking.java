package dev.holdfast.zookeeper;

import dev.holdfast.FencingToken;
import dev.holdfast.LockState;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What operators see. Everything is no older than the question. */
final class Looking {
    private static final int AT_ONCE = 100;

    private final Link link;
    private final Nodes nodes;
    private final Paths paths;

    Looking(Link link, Nodes nodes, Paths paths) {
        this.link = link;
        this.nodes = nodes;
        this.paths = paths;
    }

    private record Claimed(Spot spot, Session.Found found, NodeData data) {}

    CompletableFuture<Optional<LockState>> describe(String name) {
        return link.session().thenCompose(session -> session.upToDate(paths.base(), () -> describe(session, name)));
    }

    private CompletableFuture<Optional<LockState>> describe(Session session, String name) {
        return nodes.line(session, name).thenCompose(line -> {
            List<CompletableFuture<@Nullable Claimed>> read =
                    line.stream().map(spot -> claimed(session, name, spot)).toList();
            return Stages.all(read).thenApply(claims -> state(name, claims));
        });
    }

    @SuppressWarnings("NullAway") // A claim that is gone by now is null here and left out below.
    private CompletableFuture<@Nullable Claimed> claimed(Session session, String name, Spot spot) {
        return session.read(paths.lock(name) + "/" + spot.child(), null)
                .thenApply(found -> found.map(each -> new Claimed(spot, each, Nodes.data(each)))
                        .orElse(null));
    }

    private static Optional<LockState> state(String name, List<@Nullable Claimed> claims) {
        List<Claimed> there = new ArrayList<>();
        for (Claimed claim : claims) {
            if (claim != null) {
                there.add(claim);
            }
        }
        if (there.isEmpty()) {
            return Optional.empty();
        }
        Claimed first = there.get(0);
        NodeData data = first.data();
        return Optional.of(new LockState(
                name,
                first.spot().owner(),
                data.holder(),
                new FencingToken(Place.lastToken(first.found().stat().getCzxid(), data.tokens())),
                Instant.ofEpochMilli(first.found().stat().getCtime()),
                remaining(data),
                there.stream().skip(1).map(claim -> claim.data().holder()).toList()));
    }

    /**
     * At least so long, even if the holder's process is gone already: servers do not tell how much of a session is left,
     * but while its client lives they hear of it at least three times in its duration.
     */
    private static Duration remaining(NodeData data) {
        Duration least = data.session().dividedBy(3);
        return data.lease().compareTo(least) < 0 ? data.lease() : least;
    }

    CompletableFuture<List<LockState>> list(String prefix, int limit) {
        return link.session()
                .thenCompose(session -> session.upToDate(paths.base(), () -> names(session, prefix))
                        .thenCompose(names -> collect(session, names, 0, limit, new ArrayList<>())));
    }

    private CompletableFuture<List<String>> names(Session session, String prefix) {
        return children(session, paths.base())
                .thenCompose(buckets -> Stages.all(buckets.stream()
                        .map(bucket -> children(session, paths.base() + "/" + bucket))
                        .toList()))
                .thenApply(all -> all.stream()
                        .flatMap(List::stream)
                        .map(Paths::decode)
                        .filter(name -> name.startsWith(prefix))
                        .sorted()
                        .toList());
    }

    private static CompletableFuture<List<String>> children(Session session, String path) {
        return Stages.recover(
                session.children(path),
                failure -> Nodes.isMissing(failure)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** Many names may be free by now, so a part at a time until there are enough. */
    private CompletableFuture<List<LockState>> collect(
            Session session, List<String> names, int from, int limit, List<LockState> found) {
        if (from >= names.size() || found.size() >= limit) {
            return CompletableFuture.completedFuture(
                    List.copyOf(found.subList(0, Math.min(Math.max(0, limit), found.size()))));
        }
        int to = Math.min(names.size(), from + AT_ONCE);
        return Stages.all(names.subList(from, to).stream()
                        .map(name -> describe(session, name))
                        .toList())
                .thenCompose(states -> {
                    states.forEach(state -> state.ifPresent(found::add));
                    return collect(session, names, to, limit, found);
                });
    }

    CompletableFuture<Optional<LockState>> breakLock(String name, Owner owner) {
        return link.session()
                .thenCompose(session -> session.upToDate(paths.base(), () -> nodes.line(session, name))
                        .thenCompose(line ->
                                describe(session, name).thenCompose(state -> end(session, name, line, state, owner))));
    }

    private CompletableFuture<Optional<LockState>> end(
            Session session, String name, List<Spot> line, Optional<LockState> state, Owner owner) {
        Optional<Spot> spot =
                line.stream().filter(each -> each.owner().equals(owner)).findFirst();
        if (spot.isEmpty() || state.isEmpty() || !state.get().owner().equals(owner)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        // Paths are never used twice, so this is the node that was seen or none.
        return session.delete(paths.lock(name) + "/" + spot.get().child())
                .thenApply(removed -> removed ? state : Optional.empty());
    }
}
