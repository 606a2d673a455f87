package dev.holdfast.proving.fault;

import dev.holdfast.proving.ground.Contestant;
import dev.holdfast.proving.ground.Ground;
import dev.holdfast.proving.machine.ReplicatedServers;
import dev.holdfast.proving.machine.StoreServers;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Where a fault happens.
 *
 * @param random decides what the seed leaves open
 * @param hit the servers that a fault of servers is for: the one there is, or two of five
 */
public record Scene(Ground ground, Random random, List<Integer> hit) {
    /** Of one whose faults a majority survives, as many as it survives. */
    public static Scene of(Ground ground, Random random) {
        int count = ground.servers().ports().size();
        int first = random.nextInt(count);
        List<Integer> hit = count == 1
                ? List.of(0)
                : IntStream.range(0, count / 2)
                        .mapToObj(i -> (first + i) % count)
                        .toList();
        return new Scene(ground, random, hit);
    }

    StoreServers servers() {
        return ground.servers();
    }

    ReplicatedServers replicated() throws IOException {
        if (ground.servers() instanceof ReplicatedServers replicated) {
            return replicated;
        }
        throw new IOException("These servers have no replicas");
    }

    /** What can go wrong with each of them. */
    interface ForEach<T> {
        void run(T each) throws IOException, InterruptedException;
    }

    /** Somebody else of each subject is to hold the lock. */
    public void chooseHolders() {
        ground.contestants().forEach(each -> each.chooseHolder(random.nextInt(Contestant.CLIENTS)));
    }

    void eachHit(ForEach<Integer> step) throws IOException, InterruptedException {
        for (int server : hit) {
            step.run(server);
        }
    }

    void eachContestant(ForEach<Contestant> step) throws IOException, InterruptedException {
        for (Contestant contestant : ground.contestants()) {
            step.run(contestant);
        }
    }

    /** The links of the clients that hold the lock. */
    void eachHoldersLink(ForEach<dev.holdfast.proving.machine.Link> step) throws IOException, InterruptedException {
        for (Contestant contestant : ground.contestants()) {
            for (var link : contestant.links(contestant.holder())) {
                step.run(link);
            }
        }
    }

    void eachLink(ForEach<dev.holdfast.proving.machine.Link> step) throws IOException, InterruptedException {
        for (Contestant contestant : ground.contestants()) {
            for (int client = 0; client < Contestant.CLIENTS; client++) {
                for (var link : contestant.links(client)) {
                    step.run(link);
                }
            }
        }
    }
}
