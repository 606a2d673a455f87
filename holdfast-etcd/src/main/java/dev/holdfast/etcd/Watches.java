package dev.holdfast.etcd;

import dev.holdfast.etcd.rpc.WatchCancelRequest;
import dev.holdfast.etcd.rpc.WatchCreateRequest;
import dev.holdfast.etcd.rpc.WatchGrpc;
import dev.holdfast.etcd.rpc.WatchRequest;
import dev.holdfast.etcd.rpc.WatchResponse;
import dev.holdfast.spi.Environment;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Watches keys for their end, all of them on one stream. What comes is a reason to look, and nothing more: the member
 * may be behind the others, the history before the watch may have been compacted, or it may have ended the watch.
 *
 * <p>If the stream ends, its watches are gone and their listeners hear nothing; {@code onBroken} is told instead.
 */
final class Watches {
    /** One watch. Its listener is called once at most. */
    final class Handle {
        private final long id = ids.incrementAndGet();
        private final Runnable listener;
        private volatile boolean cancelled;

        Handle(Runnable listener) {
            this.listener = listener;
        }

        void cancel() {
            cancelled = true;
            current.ifThere(line -> line.cancel(this));
        }
    }

    private final Client client;
    private final Environment environment;
    private final Runnable onBroken;
    private final AtomicLong ids = new AtomicLong();
    /** The stream in use, or the one that is being opened. Whoever finds it ended clears it. */
    private final Shared<Line> current = new Shared<>();

    Watches(Client client, Environment environment, Runnable onBroken) {
        this.client = client;
        this.environment = environment;
        this.onBroken = onBroken;
        client.members.onMove(() -> end("another member is asked"));
    }

    /** @param fromRevision the first that the caller has not seen: so nothing is missed between its look and this */
    Handle watch(Keys.Range keys, long fromRevision, Runnable listener) {
        Handle handle = new Handle(listener);
        WatchCreateRequest create = WatchCreateRequest.newBuilder()
                .setKey(keys.from())
                .setRangeEnd(keys.end())
                .setStartRevision(fromRevision)
                .addFilters(WatchCreateRequest.FilterType.NOPUT)
                .setWatchId(handle.id)
                .build();
        var unused = line().whenComplete((line, failure) -> {
            if (failure == null) {
                line.watch(
                        handle,
                        WatchRequest.newBuilder().setCreateRequest(create).build());
            } else {
                onBroken.run();
            }
        });
        return handle;
    }

    private CompletableFuture<Line> line() {
        return current.get(self -> client.headers().thenApply(headers -> {
            Line line = new Line(self, client.members.current());
            line.open(headers);
            return line;
        }));
    }

    void end(String why) {
        current.ifThere(line -> line.stream.cancel(why));
    }

    /** A stream, and what is watched on it. */
    private final class Line {
        private final CompletableFuture<Line> self;
        private final BidiStream<WatchRequest, WatchResponse> stream;
        private final Map<Long, Handle> watched = new ConcurrentHashMap<>();

        Line(CompletableFuture<Line> self, Members.Member member) {
            this.self = self;
            this.stream = new BidiStream<>(member, WatchGrpc.getWatchMethod());
        }

        void open(Metadata headers) {
            stream.open(headers, this::received, this::ended);
        }

        void watch(Handle handle, WatchRequest request) {
            stream.send(request, () -> watched.put(handle.id, handle));
            if (handle.cancelled) {
                cancel(handle);
            }
            if (stream.hasEnded()) {
                onBroken.run();
            }
        }

        void cancel(Handle handle) {
            if (watched.remove(handle.id) != null) {
                WatchCancelRequest cancel =
                        WatchCancelRequest.newBuilder().setWatchId(handle.id).build();
                stream.send(WatchRequest.newBuilder().setCancelRequest(cancel).build(), () -> {});
            }
        }

        private void received(WatchResponse said) {
            if (said.getEventsCount() == 0 && !said.getCanceled() && said.getCompactRevision() == 0) {
                return;
            }
            if (said.getCreated() && said.getCanceled()) {
                // Refused, because the token that the stream was opened with has expired. The next one gets a new one.
                environment.schedule(0, () -> stream.cancel("a watch was refused"));
                return;
            }
            Handle handle = watched.get(said.getWatchId());
            if (handle == null) {
                return;
            }
            if (said.getCanceled()) {
                watched.remove(said.getWatchId());
            } else {
                cancel(handle);
            }
            if (!handle.cancelled) {
                handle.listener.run();
            }
        }

        private void ended(Status status) {
            current.clear(self);
            if (!watched.isEmpty()) {
                watched.clear();
                onBroken.run();
            }
        }
    }
}
