package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.ServerAddress;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which master each of the sentinels names, as far as that is known, and which one follows from it. One that slept through a switch, or
 * that lies, does not decide against the others.
 */
final class NamedMasters {
    // Guards the fields below. Nobody is called while it is held.
    private final ReentrantLock lock = new ReentrantLock();
    private final @Nullable ServerAddress[] named;
    /** How often each has announced something. */
    private final long[] announcements;

    NamedMasters(int sentinels) {
        this.named = new @Nullable ServerAddress[sentinels];
        this.announcements = new long[sentinels];
    }

    /** Nothing is heard from this one any more. */
    void forget(int sentinel) {
        lock.lock();
        try {
            named[sentinel] = null;
        } finally {
            lock.unlock();
        }
    }

    /** What its answer will have to be compared with. */
    long announcementsOf(int sentinel) {
        lock.lock();
        try {
            return announcements[sentinel];
        } finally {
            lock.unlock();
        }
    }

    /**
     * It was asked and has answered. Returns whether most of all of them name this master, heard or not: fewer cannot have made it one, and
     * the first to be heard may be the one that slept.
     *
     * @param before what it had announced when it was asked: an announcement since then is newer than the answer
     */
    boolean answered(int sentinel, long before, ServerAddress master) {
        lock.lock();
        try {
            if (announcements[sentinel] != before) {
                return false;
            }
            named[sentinel] = master;
            return 2 * namersOf(master) > named.length;
        } finally {
            lock.unlock();
        }
    }

    /**
     * It has announced a switch. Returns whether that is to be believed: unless most of them name another master. Who found the new one by
     * asking must not be sent back because most have not heard yet.
     */
    boolean announced(int sentinel, ServerAddress master) {
        lock.lock();
        try {
            announcements[sentinel]++;
            named[sentinel] = master;
            ServerAddress most = ofMost();
            return most == null || most.equals(master);
        } finally {
            lock.unlock();
        }
    }

    private long namersOf(ServerAddress master) {
        return Arrays.stream(named).filter(master::equals).count();
    }

    /** Of those that are heard. */
    private @Nullable ServerAddress ofMost() {
        long known = Arrays.stream(named).filter(Objects::nonNull).count();
        for (ServerAddress each : named) {
            if (each != null && 2 * namersOf(each) > known) {
                return each;
            }
        }
        return null;
    }
}
