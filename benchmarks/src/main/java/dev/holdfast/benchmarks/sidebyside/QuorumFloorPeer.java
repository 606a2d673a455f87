package dev.holdfast.benchmarks.sidebyside;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The least that a lock over several servers can cost: all are asked at once, a majority decides; no token, no queue, no
 * undoing, nothing checked. Shows what the machine and the client library allow.
 */
final class QuorumFloorPeer implements Peer {
    private static final SetArgs ONLY_IF_ABSENT = SetArgs.Builder.nx().px(30_000);

    @Override
    public String name() {
        return "floor, five servers";
    }

    @Override
    public String setUp() {
        return "SET NX PX 30000 and a compare-and-delete script, sent to all servers at once over one Lettuce connection each;"
                + " a majority decides";
    }

    @Override
    public Client connect(List<String> urls) {
        return new QuorumFloorClient(urls);
    }

    private static final class QuorumFloorClient implements Client {
        private final RedisClient client = RedisClient.create();
        private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
        private String digest = "";

        QuorumFloorClient(List<String> urls) {
            for (String url : urls) {
                StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(url));
                digest = connection.sync().scriptLoad(FloorPeer.COMPARE_AND_DELETE);
                connections.add(connection);
            }
        }

        @Override
        public Held lock(String name) {
            String value = UUID.randomUUID().toString();
            String[] keys = {name};
            majority(each -> each.async().set(name, value, ONLY_IF_ABSENT));
            return () -> majority(each -> each.async().evalsha(digest, ScriptOutputType.INTEGER, keys, value));
        }

        private void majority(Function<StatefulRedisConnection<String, String>, CompletionStage<?>> request) {
            CompletableFuture<Void> enough = new CompletableFuture<>();
            AtomicInteger missing = new AtomicInteger(connections.size() / 2 + 1);
            for (StatefulRedisConnection<String, String> connection : connections) {
                request.apply(connection).whenComplete((answer, failure) -> {
                    if (failure != null || answer == null) {
                        enough.completeExceptionally(new IllegalStateException("A server said no", failure));
                    } else if (missing.decrementAndGet() == 0) {
                        enough.complete(null);
                    }
                });
            }
            enough.join();
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }
}
