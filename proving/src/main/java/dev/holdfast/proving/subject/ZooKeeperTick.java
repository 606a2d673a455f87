package dev.holdfast.proving.subject;

/** The tick of the ZooKeeper server, which its clients have to know. Sessions are at least two ticks long. */
public final class ZooKeeperTick {
    public static final int MILLIS = 500;

    private ZooKeeperTick() {}
}
