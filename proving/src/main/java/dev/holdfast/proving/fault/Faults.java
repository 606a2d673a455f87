package dev.holdfast.proving.fault;

import static dev.holdfast.proving.fault.Fault.Unreachable.ALL;
import static dev.holdfast.proving.fault.Fault.Unreachable.HOLDER;
import static dev.holdfast.proving.fault.Fault.Unreachable.NOBODY;

import dev.holdfast.proving.machine.Link;
import dev.holdfast.proving.subject.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** All faults. */
public final class Faults {
    private static final Set<Store> ALL_STORES = EnumSet.allOf(Store.class);
    private static final Set<Store> SINGLE = EnumSet.complementOf(EnumSet.of(Store.QUORUM));
    private static final Set<Store> ON_REDIS = EnumSet.of(Store.REDIS, Store.QUORUM);
    private static final Set<Store> FORGETFUL = ON_REDIS;

    /** Longer than most round trips, shorter than most timeouts. */
    private static final long DELAY_MILLIS = 400;

    private static final int DISK_MILLIS = 800;

    private static final int FAST = 3;
    /** A jump of this rate takes a few milliseconds to be further ahead than any lease here. */
    private static final int JUMP = 1000;

    private static final long JUMP_MILLIS = 30;

    private Faults() {}

    public static List<Fault> all() {
        List<Fault> all = new ArrayList<>();
        all.add(new Fault("none", "nothing goes wrong", ALL_STORES, false, false, NOBODY, scene -> {}, scene -> {}));
        clients(all);
        servers(all);
        disks(all);
        network(all);
        redis(all);
        clocks(all);
        return List.copyOf(all);
    }

    private static void clients(List<Fault> all) {
        all.add(new Fault(
                "client-kill",
                "its process is killed (kill -9)",
                ALL_STORES,
                false,
                false,
                NOBODY,
                scene -> scene.eachContestant(each -> each.kill(each.holder())),
                scene -> scene.eachContestant(
                        each -> each.replace(each.holder(), scene.random().nextLong()))));
        all.add(new Fault(
                "client-stop",
                "its process stands still past the lease (SIGSTOP)",
                ALL_STORES,
                false,
                true,
                NOBODY,
                scene -> scene.eachContestant(each -> each.freeze(each.holder())),
                scene -> scene.eachContestant(each -> each.thaw(each.holder()))));
    }

    private static void servers(List<Fault> all) {
        all.add(new Fault(
                "server-kill",
                "the server is killed and restarted with its data (of five: two)",
                ALL_STORES,
                false,
                false,
                NOBODY,
                scene -> scene.eachHit(scene.servers()::kill),
                scene -> scene.eachHit(scene.servers()::start)));
        all.add(new Fault(
                "server-kill-empty",
                "the server is killed and restarted without its data (of five: two)",
                FORGETFUL,
                false,
                false,
                NOBODY,
                scene -> scene.eachHit(scene.servers()::kill),
                scene -> scene.eachHit(server -> {
                    scene.servers().forget(server);
                    scene.servers().start(server);
                })));
        all.add(new Fault(
                "server-stop",
                "the server stands still past the lease (SIGSTOP)",
                SINGLE,
                false,
                true,
                ALL,
                scene -> scene.eachHit(scene.servers()::freeze),
                scene -> scene.eachHit(scene.servers()::thaw)));
        all.add(new Fault(
                "minority-stop",
                "two of five servers stand still past the lease (SIGSTOP)",
                EnumSet.of(Store.QUORUM),
                false,
                true,
                NOBODY,
                scene -> scene.eachHit(scene.servers()::freeze),
                scene -> scene.eachHit(scene.servers()::thaw)));
    }

    private static void disks(List<Fault> all) {
        all.add(new Fault(
                "slow-disk",
                "each fsync of the server takes " + DISK_MILLIS + " ms longer",
                EnumSet.of(Store.ZOOKEEPER),
                true,
                true,
                NOBODY,
                scene -> scene.eachHit(server -> scene.servers().setDiskDelay(server, DISK_MILLIS)),
                scene -> scene.eachHit(server -> scene.servers().setDiskDelay(server, 0))));
    }

    private static void network(List<Fault> all) {
        all.add(new Fault(
                "cut-holder",
                "its network is cut past the lease; what was sent arrives late",
                ALL_STORES,
                false,
                true,
                HOLDER,
                scene -> scene.eachHoldersLink(Link::cut),
                scene -> scene.eachHoldersLink(Link::mend)));
        all.add(new Fault(
                "cut-all",
                "everybody's network is cut past the lease",
                ALL_STORES,
                false,
                true,
                ALL,
                scene -> scene.eachLink(Link::cut),
                scene -> scene.eachLink(Link::mend)));
        all.add(new Fault(
                "one-way",
                "its requests arrive, answers do not, past the lease",
                ALL_STORES,
                false,
                true,
                NOBODY,
                scene -> scene.eachHoldersLink(Link::holdReplies),
                scene -> scene.eachHoldersLink(Link::mend)));
        all.add(new Fault(
                "delay",
                "everything takes " + DELAY_MILLIS + " ms longer each way",
                ALL_STORES,
                false,
                true,
                NOBODY,
                scene -> scene.eachLink(link -> link.delay(DELAY_MILLIS)),
                scene -> scene.eachLink(Link::mend)));
        all.add(new Fault(
                "reset",
                "all connections are reset",
                ALL_STORES,
                false,
                false,
                NOBODY,
                scene -> scene.eachLink(Link::reset),
                scene -> {}));
    }

    private static void redis(List<Fault> all) {
        all.add(command("flushall", "FLUSHALL on the server (of five: on two)", "FLUSHALL"));
        all.add(command("script-flush", "SCRIPT FLUSH", "SCRIPT", "FLUSH"));
        all.add(new Fault(
                "client-kill-connections",
                "CLIENT KILL of all connections",
                ON_REDIS,
                false,
                false,
                NOBODY,
                scene -> scene.eachHit(server -> {
                    for (String type : List.of("normal", "pubsub")) {
                        var unused = scene.servers().call(server, "CLIENT", "KILL", "TYPE", type);
                    }
                }),
                scene -> {}));
        all.add(new Fault(
                "memory-full",
                "the server's memory is full past the lease (noeviction)",
                ON_REDIS,
                false,
                true,
                NOBODY,
                scene -> scene.eachHit(server -> {
                    var unused = scene.servers().call(server, "CONFIG", "SET", "maxmemory", "1");
                }),
                scene -> scene.eachHit(server -> {
                    var unused = scene.servers().call(server, "CONFIG", "SET", "maxmemory", "0");
                })));
    }

    private static Fault command(String name, String title, String... command) {
        return new Fault(
                name,
                title,
                ON_REDIS,
                false,
                false,
                NOBODY,
                scene -> scene.eachHit(server -> {
                    var unused = scene.servers().call(server, command);
                }),
                scene -> {});
    }

    private static void askTime(Scene scene, int server) throws IOException {
        var unused = scene.servers().call(server, "TIME");
    }

    private static void clocks(List<Fault> all) {
        all.add(new Fault(
                "server-clock-jump",
                "the server's clock steps forward past the lease (of five: of two)",
                ON_REDIS,
                true,
                false,
                NOBODY,
                scene -> scene.eachHit(server -> {
                    scene.servers().setClockRate(server, JUMP);
                    // The library looks at the rate when the server asks for the time.
                    askTime(scene, server);
                    Thread.sleep(JUMP_MILLIS);
                    scene.servers().setClockRate(server, 1);
                    askTime(scene, server);
                }),
                scene -> {}));
        all.add(new Fault(
                "server-clock-fast",
                "the server's clock runs " + FAST + " times too fast (of five: of two)",
                ON_REDIS,
                true,
                true,
                NOBODY,
                scene -> scene.eachHit(server -> scene.servers().setClockRate(server, FAST)),
                scene -> scene.eachHit(server -> scene.servers().setClockRate(server, 1))));
        all.add(new Fault(
                "client-clock-jump",
                "the time of day of its machine steps forward past the lease",
                ALL_STORES,
                true,
                false,
                NOBODY,
                scene -> {
                    scene.eachContestant(each -> each.setClockRate(each.holder(), JUMP));
                    Thread.sleep(JUMP_MILLIS);
                    scene.eachContestant(each -> each.setClockRate(each.holder(), 1));
                },
                scene -> {}));
    }
}
