package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.testing.RedisServer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Five servers of its own, all well or some of them not. The clients know all five from better days. */
final class Quorum implements Workload {
    private static final int SERVERS = 5;

    /** What happens to the last servers before the first round. */
    enum Trouble {
        NONE("", "all up", 0),
        ONE_HANGS("-hanging", "one hanging", 1),
        TWO_KILLED("-killed", "two killed", 2);

        private final String suffix;
        private final String words;
        private final int servers;

        Trouble(String suffix, String words, int servers) {
            this.suffix = suffix;
            this.words = words;
            this.servers = servers;
        }

        private void strike(RedisServer server) {
            if (this == ONE_HANGS) {
                server.pause();
            } else {
                server.kill();
            }
        }
    }

    private final Heading heading;
    private final Threads.Builder load;
    private final Trouble trouble;
    private @Nullable Servers servers;
    private @Nullable Threads threads;

    private Quorum(Threads.Builder load, Trouble trouble) {
        Heading well = load.heading();
        this.heading = new Heading(
                well.name() + trouble.suffix, well.title() + ", " + trouble.words, well.peers(), well.headline());
        this.load = load;
        this.trouble = trouble;
    }

    static Quorum uncontended(Trouble trouble) {
        List<Peer> peers = trouble == Trouble.NONE
                ? List.of(Peers.QUORUM, Peers.HOLDFAST, Peers.QUORUM_FLOOR, Peers.REDLOCK)
                : List.of(Peers.QUORUM, Peers.REDLOCK);
        Threads.Builder load = Threads.named("quorum", "Five servers, uncontended, 1 thread")
                .peers(peers)
                .headline(Metric.CYCLE_P50);
        return new Quorum(load, trouble);
    }

    static Quorum of(Threads.Builder load) {
        return new Quorum(load, Trouble.NONE);
    }

    static Quorum busy() {
        Threads.Builder load = Threads.named("quorum-32", "Five servers, uncontended, 32 threads")
                .peers(List.of(Peers.QUORUM, Peers.HOLDFAST, Peers.QUORUM_FLOOR, Peers.REDLOCK))
                .clients(1, 32);
        return new Quorum(load, Trouble.NONE);
    }

    static Quorum hot() {
        Threads.Builder load = Threads.named(
                        "quorum-hot", "Five servers, one hot name, 4 clients × 4 threads, held for no time")
                .peers(List.of(Peers.QUORUM, Peers.QUORUM_ALONE, Peers.REDLOCK))
                .clients(4, 4)
                .names(Names::hot);
        return new Quorum(load, Trouble.NONE);
    }

    @Override
    public Heading heading() {
        return heading;
    }

    /** A peer that takes seconds for each acquisition is not asked as often. */
    @Override
    public int rounds(int usual) {
        return trouble == Trouble.NONE ? usual : Math.max(1, usual / 4);
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        if (threads == null) {
            threads = begin();
        }
        return threads.round(peer, seconds);
    }

    private Threads begin() throws Exception {
        servers = Servers.started(SERVERS);
        RedlockBackend.builder(servers.urls()).initialise();
        Threads started = load.on(servers);
        for (Peer peer : peers()) {
            started.round(peer, 0.5);
        }
        List<RedisServer> all = servers.all();
        all.subList(SERVERS - trouble.servers, SERVERS).forEach(trouble::strike);
        if (trouble != Trouble.NONE) {
            // Who hangs or is dead is not asked for figures either.
            started.meterOnly(new Servers(all.subList(0, SERVERS - trouble.servers)));
        }
        return started;
    }

    @Override
    public void close() {
        if (threads != null) {
            threads.close();
        }
        if (servers != null) {
            servers.close();
        }
    }
}
