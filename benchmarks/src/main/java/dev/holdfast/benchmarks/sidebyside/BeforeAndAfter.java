package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** This build and an earlier one, in turns: what a change of the code costs, apart from what the machine does meanwhile. */
final class BeforeAndAfter {
    private BeforeAndAfter() {}

    static List<Workload> on(Servers one, Path earlierJars) throws IOException {
        EarlierJars earlier = EarlierJars.in(earlierJars);
        List<Peer> redis = List.of(Peers.HOLDFAST, earlier.redis("earlier jars", 16));
        List<Peer> alone = List.of(Peers.HOLDFAST_ALONE, earlier.redis("earlier jars, cohort off", 1));
        List<Peer> quorum = List.of(Peers.QUORUM, earlier.quorum("earlier jars, quorum", 16));
        return List.of(
                Threads.named("uncontended-32", "Uncontended, 32 threads")
                        .peers(redis)
                        .clients(1, 32)
                        .on(one),
                new InFlight(one, redis),
                Threads.named("uncontended-1", "Uncontended, 1 thread")
                        .peers(redis)
                        .on(one),
                Threads.named("hot-4x4", "One hot name, 4 clients × 4 threads, held for no time")
                        .peers(redis)
                        .clients(4, 4)
                        .names(Names::hot)
                        .on(one),
                Threads.named("hot-4x4-alone", "One hot name, 4 clients × 4 threads, cohort off")
                        .peers(alone)
                        .clients(4, 4)
                        .names(Names::hot)
                        .on(one),
                Quorum.of(Threads.named("quorum-32", "Five servers, uncontended, 32 threads")
                        .peers(quorum)
                        .clients(1, 32)),
                Quorum.of(Threads.named("quorum", "Five servers, uncontended, 1 thread")
                        .peers(quorum)),
                Quorum.of(Threads.named("quorum-hot", "Five servers, one hot name, 4 clients × 4 threads")
                        .peers(quorum)
                        .clients(4, 4)
                        .names(Names::hot)));
    }
}
