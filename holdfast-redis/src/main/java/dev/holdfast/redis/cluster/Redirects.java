package dev.holdfast.redis.cluster;

import dev.holdfast.redis.node.RedirectException;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Takes a request to the server that has its slot. A redirect proves that nothing was done, so the request may be made anew
 * elsewhere; any other failure is the caller's.
 */
final class Redirects {
    /** A slot that moves while we follow it is found after one or two; more than this is a cluster that does not agree. */
    private static final int MOST_HOPS = 8;

    private static final long FIRST_PAUSE_NANOS = 5_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    private final ClusterTopology cluster;

    Redirects(ClusterTopology cluster) {
        this.cluster = cluster;
    }

    <T> CompletionStage<T> follow(int slot, Function<ScriptRunner, CompletionStage<T>> request) {
        Journey<T> journey = new Journey<>(slot, request);
        journey.begin();
        return journey.answer;
    }

    /** One request on its way. One step after the other. */
    private final class Journey<T> {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        private final int slot;
        private final Function<ScriptRunner, CompletionStage<T>> request;
        private final long beganNanos = cluster.time().nanoTime();
        private int hops;
        private long pauseNanos = FIRST_PAUSE_NANOS;

        Journey(int slot, Function<ScriptRunner, CompletionStage<T>> request) {
            this.slot = slot;
            this.request = request;
        }

        void begin() {
            ClusterServer server = cluster.serverOf(slot);
            if (server == null) {
                cluster.lookSoon();
                giveUp("No server of " + cluster.address() + " has slot " + slot + " at the moment");
            } else {
                ask(server, false);
            }
        }

        private void ask(ClusterServer server, boolean moving) {
            if (server.firstAttempt.isDone()) {
                send(server, moving);
            } else {
                var unused = server.firstAttempt.thenRun(() -> send(server, moving));
            }
        }

        private void send(ClusterServer server, boolean moving) {
            CompletionStage<T> sent;
            try {
                sent = request.apply(moving ? server.node.asking() : server.node);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
                return;
            }
            var unused = sent.whenComplete((value, failure) -> {
                Throwable why = failure == null ? null : Failures.unwrap(failure);
                if (why == null) {
                    answer.complete(value);
                } else if (why instanceof RedirectException redirect) {
                    redirected(redirect);
                } else {
                    // Its server may have been replaced by now.
                    cluster.lookSoon();
                    answer.completeExceptionally(why);
                }
            });
        }

        private void redirected(RedirectException redirect) {
            if (redirect.kind() == RedirectException.Kind.TRY_AGAIN) {
                tryAgain(redirect);
                return;
            }
            ServerAddress target = Objects.requireNonNull(redirect.target());
            if (redirect.kind() == RedirectException.Kind.MOVED) {
                cluster.moved(slot, target);
            }
            if (++hops > MOST_HOPS) {
                giveUp("The servers of " + cluster.address() + " do not agree who has slot " + slot
                        + " (the last said: " + redirect.getMessage() + ")");
            } else {
                ask(cluster.server(target), redirect.kind() == RedirectException.Kind.ASK);
            }
        }

        /** The keys of the name are on their way to another server, which takes as long as it takes. */
        private void tryAgain(RedirectException redirect) {
            long passed = cluster.time().nanoTime() - beganNanos;
            if (passed + pauseNanos > cluster.timeout().toNanos()) {
                giveUp("Slot " + slot + " of " + cluster.address() + " is being moved to another server, and that takes"
                        + " longer than " + cluster.timeout().toMillis() + " ms (the server said: "
                        + redirect.getMessage() + ")");
                return;
            }
            long pause = pauseNanos / 2 + (long) (cluster.time().random().nextDouble() * pauseNanos / 2);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            cluster.time().schedule(pause, this::begin);
        }

        private void giveUp(String why) {
            answer.completeExceptionally(new NotSentException(why, null));
        }
    }
}
