package dev.holdfast.proving.subject;

/** Where locks are kept. */
public enum Store {
    REDIS("one Redis server"),
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
}
