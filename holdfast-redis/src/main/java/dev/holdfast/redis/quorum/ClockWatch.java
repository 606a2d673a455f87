package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Notices servers whose clock steps against ours. One that has stepped forward has ended leases early, and would help a
 * second holder in; so this client does not ask for its vote for as long as a lease may last. Best effort: other clients
 * may not have noticed, and what was granted before it was noticed stays granted.
 *
 * <p>If so many step that no majority is left, all are asked again: either it is our own clock that stepped, or every choice
 * is bad, and a quorum that stands still for as long as clocks are wrong helps nobody. The listener is told which.
 */
final class ClockWatch {
    /** What ordinary drift and the granularity of clocks may look like. */
    private static final long TOLERANCE_MICROS = 10_000;
    /** A clock that runs at a wrong rate steps with every answer. One notice of a kind in this time, with their number. */
    private static final long QUIET_NANOS = 60_000_000_000L;

    private final Members members;
    private final Environment environment;
    private final Events events;
    private final Duration maxLease;
    // Guards the two maps.
    private final ReentrantLock lock = new ReentrantLock();
    /** By how much each node that is not asked has stepped. */
    private final Map<Member, Long> steps = new HashMap<>();

    private final Map<String, Notice> notices = new HashMap<>();

    /** When something was last told, and how often it has happened since. */
    private record Notice(long toldNanos, int since) {}

    ClockWatch(Members members, Environment environment, Events events, Duration maxLease) {
        this.members = members;
        this.environment = environment;
        this.events = events;
        this.maxLease = maxLease;
    }

    void stepped(Member member, long micros) {
        if (Math.abs(micros) < TOLERANCE_MICROS) {
            return;
        }
        String why = "The clock of Redis at " + member.address() + " has stepped by " + micros / 1000
                + " ms: leases there may have ended early, so its vote is not asked for";
        member.stopAsking(why);
        List<Member> out = members.all.stream()
                .filter(each -> !each.whyNotAsked().isEmpty())
                .toList();
        Map<Member, Long> by = note(member, micros, out);
        if (out.size() >= members.majority) {
            out.forEach(each -> each.stopAsking(""));
            tell("clock", tooMany(out, by));
            return;
        }
        tell(member.address(), why + " for " + maxLease.toMillis() + " ms");
        environment.schedule(maxLease.toNanos(), () -> {
            if (member.whyNotAsked().equals(why)) {
                member.stopAsking("");
            }
        });
    }

    /** By how much those that are not asked have stepped. */
    private Map<Member, Long> note(Member member, long micros, List<Member> out) {
        lock.lock();
        try {
            steps.put(member, micros);
            steps.keySet().retainAll(out);
            return Map.copyOf(steps);
        } finally {
            lock.unlock();
        }
    }

    private String tooMany(List<Member> out, Map<Member, Long> by) {
        String each = out.stream()
                .map(member -> member.address() + " by " + by.getOrDefault(member, 0L) / 1000 + " ms")
                .collect(Collectors.joining(", "));
        long least = by.values().stream().mapToLong(Long::longValue).min().orElse(0);
        long most = by.values().stream().mapToLong(Long::longValue).max().orElse(0);
        String found = "the clocks of " + out.size() + " of " + members.size() + " servers have stepped (" + each + ")";
        return most - least <= 2 * TOLERANCE_MICROS
                ? found + ": all alike, so it is rather this machine that was suspended, or whose clock stepped. Their"
                        + " votes are asked for"
                : found
                        + ": not alike, so it is their clocks, or this machine's runs at a wrong rate. Without them there is"
                        + " no majority, so their votes are asked for although leases there may have ended early. Put the"
                        + " clocks right (NTP, slewing), and guard the resource by fencing token";
    }

    private void tell(String where, String what) {
        long now = environment.nanoTime();
        int since;
        lock.lock();
        try {
            Notice notice = notices.get(where);
            if (notice != null && now - notice.toldNanos < QUIET_NANOS) {
                notices.put(where, new Notice(notice.toldNanos, notice.since + 1));
                return;
            }
            since = notice == null ? 0 : notice.since;
            notices.put(where, new Notice(now, 0));
        } finally {
            lock.unlock();
        }
        events.notice(BackendNotice.warning(
                where, since == 0 ? what : what + " (and " + since + " times more since this was last said)"));
    }
}
