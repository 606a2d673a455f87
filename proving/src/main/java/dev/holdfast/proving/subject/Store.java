package dev.holdfast.proving.subject;

import java.util.Locale;

/** Where locks are kept. */
public enum Store {
    REDIS("one Redis server"),
    SENTINEL("Redis Sentinel"),
    CLUSTER("Redis Cluster"),
    QUORUM("five Redis servers"),
    POSTGRES("PostgreSQL"),
    ZOOKEEPER("ZooKeeper"),
    ETCD("etcd");

    private final String title;

    Store(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The id of a library whose home is one Redis server, on this store. */
    String idOf(String library) {
        return this == REDIS ? library : library + "-" + name().toLowerCase(Locale.ROOT);
    }

    /** The title of such a library on this store. */
    String titleOf(String library) {
        return this == REDIS ? library : library + ", " + title;
    }
}
