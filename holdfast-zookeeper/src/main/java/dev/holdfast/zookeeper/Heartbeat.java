package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Op;

/**
 * Makes the session heard, so that its life is proven when it is needed. As long as something stands at the servers each
 * beat is a write, which a quorum has to carry out; otherwise a look at a node, which costs one server next to nothing.
 * The library's own pings fall away meanwhile: they are sent only where nothing else is.
 */
final class Heartbeat {
    private final SessionTracker tracker;
    private final TurnWatch turns;
    private final Places places;
    private final Paths paths;
    private final Environment environment;
    private volatile boolean stopped;

    Heartbeat(SessionTracker tracker, TurnWatch turns, Places places, Paths paths, Environment environment) {
        this.tracker = tracker;
        this.turns = turns;
        this.places = places;
        this.paths = paths;
        this.environment = environment;
    }

    /** For as long as this session lives. */
    void start(Session session) {
        if (stopped || session.isOver()) {
            return;
        }
        var unused = beat(session);
        environment.schedule(Timing.beatNanos(session.timeout), () -> start(session));
    }

    void stop() {
        stopped = true;
    }

    /** One more beat, at once. */
    CompletableFuture<Void> beat(Session session) {
        if (tracker.connected() != session) {
            return CompletableFuture.allOf();
        }
        CompletableFuture<?> answer =
                places.isEmpty() ? session.exists(paths.base()) : session.multi(List.of(Op.check(paths.base(), -1)));
        return answer.handle((answered, failure) -> failure == null).thenAccept(heard -> {
            if (heard) {
                turns.proven();
            }
        });
    }
}
