package dev.holdfast.proving.fault;

import static dev.holdfast.proving.fault.Fault.Needs.CLOCK;
import static dev.holdfast.proving.fault.Fault.Needs.DISK;
import static dev.holdfast.proving.fault.Fault.Unreachable.ALL;
import static dev.holdfast.proving.fault.Fault.Unreachable.HOLDER;
import static dev.holdfast.proving.fault.Fault.Where.CLIENTS;
import static dev.holdfast.proving.fault.Fault.Where.NETWORK;
import static dev.holdfast.proving.fault.Fault.Where.SERVERS;

import dev.holdfast.proving.machine.Link;
import dev.holdfast.proving.machine.ReplicatedServers;
import dev.holdfast.proving.subject.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All faults. */
public final class Faults {
    /** Several of the others, as the seed has it. */
    public static final String MIXED = "mixed";

    private static final Set<Store> ALL_STORES = EnumSet.allOf(Store.class);
    private static final Set<Store> REPLICATED = EnumSet.of(Store.SENTINEL, Store.CLUSTER);
    /** Whose servers and network are hit one by one. Clients of the others ask the servers for addresses, and would go past our network. */
    private static final Set<Store> INDEPENDENT = EnumSet.complementOf(EnumSet.copyOf(REPLICATED));

    private static final Set<Store> QUORUM = EnumSet.of(Store.QUORUM);
    private static final Set<Store> SINGLE = EnumSet.of(Store.REDIS, Store.POSTGRES, Store.ZOOKEEPER, Store.ETCD);
    private static final Set<Store> ON_REDIS = EnumSet.of(Store.REDIS, Store.QUORUM);

    /** Longer than most round trips, shorter than most timeouts. */
    private static final long DELAY_MILLIS = 400;

    private static final int DISK_MILLIS = 800;

    private static final int FAST = 3;
    /** A jump of this rate takes a few milliseconds to be further ahead than any lease here. */
    private static final int JUMP = 1000;

    private static final long JUMP_MILLIS = 30;

    private Faults() {}

    /**
     * In the order in which they are played. The clocks of servers come last and are part of no mixture: a server whose clock is ahead
     * would have it set back by its next restart, which is another fault than the one that is meant.
     */
    public static List<Fault> all() {
        List<Fault> all = new ArrayList<>(List.of(nothing()));
        all.addAll(mixable());
        all.add(mixed());
        all.addAll(serverClocks());
        return List.copyOf(all);
    }

    /** What a mixture is made of. */
    static List<Fault> mixable(Store store) {
        return mixable().stream().filter(each -> each.isFor(store)).toList();
    }

    private static List<Fault> mixable() {
        return Stream.of(clients(), servers(), failovers(), disks(), network(), redis())
                .flatMap(List::stream)
                .toList();
    }

    /** Everything is as it should be. */
    public static Fault nothing() {
        return Fault.of("none", "nothing goes wrong", CLIENTS, ALL_STORES, scene -> {});
    }

    private static Fault mixed() {
        return Fault.of(MIXED, "several faults, one after the other and at once", CLIENTS, ALL_STORES, scene -> {});
    }

    private static List<Fault> clients() {
        return List.of(
                Fault.of(
                                "client-kill",
                                "its process is killed (kill -9)",
                                CLIENTS,
                                ALL_STORES,
                                scene -> scene.eachContestant(each -> each.kill(each.holder())))
                        .mendedBy(scene -> scene.eachContestant(each ->
                                each.replace(each.holder(), scene.random().nextLong()))),
                Fault.of(
                                "client-stop",
                                "its process stands still past the lease (SIGSTOP)",
                                CLIENTS,
                                ALL_STORES,
                                scene -> scene.eachContestant(each -> each.freeze(each.holder())))
                        .lasting()
                        .mendedBy(scene -> scene.eachContestant(each -> each.thaw(each.holder()))),
                Fault.of(
                                "client-clock-jump",
                                "the time of day of its machine steps forward past the lease",
                                CLIENTS,
                                INDEPENDENT,
                                scene -> {
                                    scene.eachContestant(each -> each.setClockRate(each.holder(), JUMP));
                                    Thread.sleep(JUMP_MILLIS);
                                    scene.eachContestant(each -> each.setClockRate(each.holder(), 1));
                                })
                        .needing(CLOCK));
    }

    private static List<Fault> servers() {
        return List.of(
                Fault.of(
                                "server-kill",
                                "the server is killed and restarted with its data (of five: two)",
                                SERVERS,
                                INDEPENDENT,
                                scene -> scene.eachHit(scene.servers()::kill))
                        .mendedBy(scene -> scene.eachHit(scene.servers()::start)),
                Fault.of(
                                "server-kill-empty",
                                "the server is killed and restarted without its data (of five: two)",
                                SERVERS,
                                ON_REDIS,
                                scene -> scene.eachHit(scene.servers()::kill))
                        .mendedBy(scene -> scene.eachHit(server -> {
                            scene.servers().forget(server);
                            scene.servers().start(server);
                        })),
                frozen("server-stop", "the server stands still past the lease (SIGSTOP)", SINGLE)
                        .cuttingOff(ALL),
                frozen("minority-stop", "two of five servers stand still past the lease (SIGSTOP)", QUORUM));
    }

    private static Fault frozen(String name, String title, Set<Store> stores) {
        return Fault.of(name, title, SERVERS, stores, scene -> scene.eachHit(scene.servers()::freeze))
                .lasting()
                .mendedBy(scene -> scene.eachHit(scene.servers()::thaw));
    }

    /** Each ends with a new master that serves everybody, and the former one as its replica. */
    private static List<Fault> failovers() {
        return List.of(
                failover("failover", "the master is killed, and its replica takes over", ReplicatedServers::killMaster),
                failover(
                                "failover-behind",
                                "the master is killed, and a replica takes over that has not heard of the lock",
                                ReplicatedServers::killMaster)
                        .preparedBy(scene -> scene.replicated().holdBackReplication()),
                failover(
                        "failover-stop",
                        "the master stands still until its replica has taken over, and goes on (SIGSTOP)",
                        ReplicatedServers::freezeMaster));
    }

    /** Something done to servers that have replicas. */
    private interface ReplicatedStep {
        void run(ReplicatedServers servers) throws IOException, InterruptedException;
    }

    private static Fault failover(String name, String title, ReplicatedStep step) {
        return Fault.of(name, title, SERVERS, REPLICATED, scene -> {
                    step.run(scene.replicated());
                    scene.replicated().awaitSuccessor();
                })
                .mendedBy(scene -> scene.replicated().restore());
    }

    private static List<Fault> disks() {
        return List.of(Fault.of(
                        "slow-disk",
                        "each fsync of the server takes " + DISK_MILLIS + " ms longer",
                        SERVERS,
                        EnumSet.of(Store.POSTGRES, Store.ZOOKEEPER, Store.ETCD),
                        scene -> scene.eachHit(server -> scene.servers().setDiskDelay(server, DISK_MILLIS)))
                .needing(DISK)
                .lasting()
                .mendedBy(scene -> {
                    scene.eachHit(server -> scene.servers().setDiskDelay(server, 0));
                    // What was held back already is held back for as long as it was meant to be.
                    Thread.sleep(DISK_MILLIS);
                }));
    }

    private static List<Fault> network() {
        return List.of(
                Fault.of(
                                "cut-holder",
                                "its network is cut past the lease; what was sent arrives late",
                                NETWORK,
                                INDEPENDENT,
                                scene -> scene.eachHoldersLink(Link::cut))
                        .lasting()
                        .cuttingOff(HOLDER)
                        .mendedBy(scene -> scene.eachHoldersLink(Link::mend)),
                Fault.of(
                                "cut-all",
                                "everybody's network is cut past the lease",
                                NETWORK,
                                INDEPENDENT,
                                scene -> scene.eachLink(Link::cut))
                        .lasting()
                        .cuttingOff(ALL)
                        .mendedBy(scene -> scene.eachLink(Link::mend)),
                Fault.of(
                                "one-way",
                                "its requests arrive, answers do not, past the lease",
                                NETWORK,
                                INDEPENDENT,
                                scene -> scene.eachHoldersLink(Link::holdReplies))
                        .lasting()
                        .mendedBy(scene -> scene.eachHoldersLink(Link::mend)),
                Fault.of(
                                "delay",
                                "everything takes " + DELAY_MILLIS + " ms longer each way",
                                NETWORK,
                                INDEPENDENT,
                                scene -> scene.eachLink(link -> link.delay(DELAY_MILLIS)))
                        .lasting()
                        .mendedBy(scene -> {
                            scene.eachLink(Link::mend);
                            Thread.sleep(DELAY_MILLIS);
                        }),
                Fault.of(
                        "reset",
                        "all connections are reset",
                        NETWORK,
                        INDEPENDENT,
                        scene -> scene.eachLink(Link::reset)));
    }

    private static List<Fault> redis() {
        return List.of(
                command("flushall", "FLUSHALL on the server (of five: on two)", "FLUSHALL"),
                command("script-flush", "SCRIPT FLUSH", "SCRIPT", "FLUSH"),
                Fault.of(
                        "client-kill-connections",
                        "CLIENT KILL of all connections",
                        SERVERS,
                        ON_REDIS,
                        scene -> scene.eachHit(server -> {
                            for (String type : List.of("normal", "pubsub")) {
                                var unused = scene.servers().call(server, "CLIENT", "KILL", "TYPE", type);
                            }
                        })),
                command(
                                "memory-full",
                                "the server's memory is full past the lease (noeviction)",
                                "CONFIG",
                                "SET",
                                "maxmemory",
                                "1")
                        .lasting()
                        .mendedBy(calling("CONFIG", "SET", "maxmemory", "0")));
    }

    private static Fault command(String name, String title, String... command) {
        return Fault.of(name, title, SERVERS, ON_REDIS, calling(command));
    }

    private static Fault.Step calling(String... command) {
        return scene -> scene.eachHit(server -> {
            var unused = scene.servers().call(server, command);
        });
    }

    private static List<Fault> serverClocks() {
        return List.of(
                Fault.of(
                                "server-clock-jump",
                                "the server's clock steps forward past the lease (of five: of two)",
                                SERVERS,
                                ON_REDIS,
                                scene -> scene.eachHit(server -> {
                                    scene.servers().setClockRate(server, JUMP);
                                    // The library looks at the rate when the server asks for the time.
                                    askTime(scene, server);
                                    Thread.sleep(JUMP_MILLIS);
                                    scene.servers().setClockRate(server, 1);
                                    askTime(scene, server);
                                }))
                        .needing(CLOCK),
                Fault.of(
                                "server-clock-fast",
                                "the server's clock runs " + FAST + " times too fast (of five: of two)",
                                SERVERS,
                                ON_REDIS,
                                scene -> scene.eachHit(server -> scene.servers().setClockRate(server, FAST)))
                        .needing(CLOCK)
                        .lasting()
                        .mendedBy(
                                scene -> scene.eachHit(server -> scene.servers().setClockRate(server, 1))));
    }

    private static void askTime(Scene scene, int server) throws IOException {
        var unused = scene.servers().call(server, "TIME");
    }
}
