package dev.holdfast.proving.subject;

import java.time.Duration;

/** A lock library on a store. */
public interface Subject {
    /** For the command line and the log. */
    String id();

    /** For people. */
    String title();

    Store store();

    /** The library and its version, as its jar says it. */
    String version();

    /** How it is set up, as a sentence without a full stop. */
    String setUp();

    Promise promise();

    /** Whether a lock that is held is renewed. If not, sections are kept shorter than the lease, as the documents ask. */
    boolean renews();

    /** Whether a grant comes with a number that a resource can check. */
    boolean hasTokens();

    /** After what time the lock of a process that died is free, as the documents say. */
    default Duration freeAfter(Duration lease) {
        return lease;
    }

    /** Where it keeps the lock of this name, if that is in Redis. */
    default String redisKey(String name) {
        return name;
    }

    /** Called in the process of the client. */
    LockClient connect(Target target) throws Exception;
}
