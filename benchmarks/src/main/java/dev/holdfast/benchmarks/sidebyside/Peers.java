package dev.holdfast.benchmarks.sidebyside;

import java.util.List;

/** All who take part. */
final class Peers {
    static final Peer HOLDFAST = new HoldfastPeer("Holdfast", 16);
    static final Peer HOLDFAST_ALONE = new HoldfastPeer("Holdfast, cohort off", 1);
    static final Peer FLOOR = new FloorPeer();
    static final Peer SCRIPTS_ALONE = new ScriptsAlone();
    static final Peer RLOCK = new RedissonPeer("Redisson RLock", false);
    static final Peer FENCED = new RedissonPeer("Redisson RFencedLock", true);
    static final Peer SPRING = new SpringPeer("Spring, pub/sub", true);
    static final Peer SPRING_SPIN = new SpringPeer("Spring, spin", false);

    static final Peer QUORUM = new HoldfastQuorumPeer("Holdfast, quorum", 16);
    static final Peer QUORUM_ALONE = new HoldfastQuorumPeer("Holdfast, quorum, cohort off", 1);
    static final Peer QUORUM_FLOOR = new QuorumFloorPeer();
    static final Peer REDLOCK = new RedissonRedLockPeer("Redisson RedLock");

    /** On one server. */
    static final List<Peer> ALL = List.of(HOLDFAST, HOLDFAST_ALONE, FLOOR, RLOCK, FENCED, SPRING, SPRING_SPIN);

    private Peers() {}

    static Peer named(String name) {
        return ALL.stream()
                .filter(peer -> peer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No such system: " + name));
    }
}
