package dev.holdfast.redis.quorum;

/** A node answered that it does not vote: nobody knows whether its memory is whole. It did nothing. */
final class Unadmitted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param record what the node has for an admission record; empty if nothing */
    Unadmitted(String address, String record) {
        // An ordinary answer, many times over after a restart: no stack trace is needed.
        super(
                "Redis at " + address + " does not vote yet: "
                        + (record.isEmpty()
                                ? "it is new, or it has forgotten everything"
                                : "it has restarted or changed")
                        + ", and is watched until every lease it may have granted is over",
                null,
                false,
                false);
    }
}
