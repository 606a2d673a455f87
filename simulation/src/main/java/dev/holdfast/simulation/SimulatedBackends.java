package dev.holdfast.simulation;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.quorum.AdmissionRecord;
import dev.holdfast.redis.quorum.ServerList;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The real backends over simulated servers, and the shipped scripts. */
final class SimulatedBackends {
    /** Of the guard that {@link RedisFence} puts in front of every write. */
    static final String GUARD = Script.read("guard_marks") + "\n" + Script.read("guard") + "\n";

    private SimulatedBackends() {}

    /** One server. */
    static LockBackend single(RedisNode node, Duration window, Duration timeout) {
        return RedisBackend.overNode(node, Keys.standard(), window, timeout);
    }

    /** Several, of which a majority decides. */
    static LockBackend quorum(List<? extends RedisNode> nodes, Duration timeout, Duration window, Duration maxLease) {
        return RedlockBackend.overNodes(nodes, list(nodes.size()), Keys.standard(), timeout, window, maxLease);
    }

    /** All clients have the same. */
    private static ServerList list(int servers) {
        return ServerList.of(
                IntStream.range(0, servers).mapToObj(i -> "server" + i).toList());
    }

    /** Lock, queue and fence of a name. */
    static String[] keys(String name, boolean ofQuorum) {
        return (ofQuorum ? Keys.standard().ofQuorum() : Keys.standard()).of(name);
    }

    /** What a claim of another kind is about, in the order in which scripts expect it. */
    static String[] keysOf(LockKey key, int slots) {
        return Keys.standard().ofClaim(key.encoded(), slots);
    }

    /** Where a server keeps those who wait for this name. */
    static String queueKey(String name, Plan plan) {
        Keys keys = Keys.standard();
        if (plan.isQuorum()) {
            return keys.ofQuorum().of(new LockKey(plan.kind(), name).encoded())[1];
        }
        return switch (plan.kind()) {
            case LOCK -> keys.of(name)[1];
            case SEMAPHORE -> keys.slotQueue(name);
            case READ_WRITE_LOCK -> keys.readWriteQueue(name);
        };
    }

    /** What this memory has for those who hold this name; of a semaphore by slot. */
    static List<String> holders(RedisMemory memory, Plan plan, String name) {
        Keys keys = Keys.standard();
        if (plan.isQuorum()) {
            return votes(memory, plan, name);
        }
        return switch (plan.kind()) {
            case LOCK -> Stream.ofNullable(memory.peek(keys.of(name)[0])).toList();
            case SEMAPHORE ->
                IntStream.range(0, plan.permits())
                        .mapToObj(slot -> memory.peek(keys.slot(name, slot)))
                        .filter(Objects::nonNull)
                        .toList();
            case READ_WRITE_LOCK ->
                memory.peekValues(keys.readWriteLock(name)).stream()
                        .filter(value -> endsMillis(value) > memory.nowMillis())
                        .toList();
        };
    }

    /** To a node of a quorum each slot is a lock of its own. */
    private static List<String> votes(RedisMemory memory, Plan plan, String name) {
        Keys keys = Keys.standard().ofQuorum();
        Stream<String> locks = plan.kind() == LockKind.LOCK
                ? Stream.of(name)
                : IntStream.range(0, plan.permits())
                        .mapToObj(slot -> LockKey.semaphore(name).encoded() + '\u001f' + slot);
        return locks.map(lock -> memory.peek(keys.of(lock)[0]))
                .filter(Objects::nonNull)
                .toList();
    }

    /** When a slot, or a share of a read-write lock, is over, by the clock of its server. */
    static long endsMillis(String value) {
        return Long.parseLong(ServerChecks.word(value, 5));
    }

    /** Where a node of a quorum keeps whether it votes. */
    static String admissionKey() {
        return Keys.standard().ofQuorum().admission();
    }

    /** What stands there if this very memory votes, one of so many; the longest lease that it may grant comes behind. */
    static String admission(RedisNode.Identity identity, int servers) {
        return AdmissionRecord.admitted(list(servers), identity);
    }

    /** And what comes behind that: the list of servers, in its first version. */
    static String admittedTo(int servers) {
        return " 1 " + list(servers).text();
    }

    /** Where the guard keeps the newest token. */
    static String guardKey(String key) {
        return Keys.guard(key);
    }

    /** A script's whole text, by its name in upper case. */
    static String source(String script) {
        return Script.valueOf(script).source();
    }
}
