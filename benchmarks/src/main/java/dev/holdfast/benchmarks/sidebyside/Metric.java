package dev.holdfast.benchmarks.sidebyside;

/** What is measured, under the names that stand in the tables and in the JSON. */
public enum Metric {
    THROUGHPUT("acquisitions per second"),
    CYCLE_P50("lock and unlock, median, µs"),
    WAIT_P50("wait, median, µs"),
    WAIT_P99("wait, 99 %, µs"),
    WAIT_MAX("wait, longest, µs"),
    FAIRNESS("most per client / least"),
    PERMITS_IN_USE("permits in use / permits"),
    COMMANDS("server commands per acquisition"),
    REQUESTS("requests per acquisition"),
    BYTES("bytes on the wire per acquisition"),
    SERVER_CPU("server CPU per acquisition, µs"),
    CLIENT_CPU("client CPU per acquisition, µs"),
    ALLOCATED("bytes allocated per acquisition"),
    ACQUIRE_ALL("time to acquire all, s"),
    RENEWAL_REQUESTS("renewal requests per minute"),
    HEAP("live heap per lease, bytes"),
    THREADS("threads started");

    private final String title;

    Metric(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
