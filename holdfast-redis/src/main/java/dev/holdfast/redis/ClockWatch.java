package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.time.Duration;
import java.util.List;

/**
 * Notices servers whose clock steps against ours. One that has stepped forward has ended leases early, and would help a
 * second holder in; so this client does not ask for its vote for as long as a lease may last. Best effort: other clients
 * may not have noticed, and what was granted before it was noticed stays granted.
 */
final class ClockWatch {
    /** What ordinary drift and the granularity of clocks may look like. */
    private static final long TOLERANCE_MICROS = 10_000;

    private final Members members;
    private final Environment environment;
    private final Events events;
    private final Duration maxLease;

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
        member.sitOut(why);
        List<Member> out =
                members.all.stream().filter(each -> !each.sitsOut().isEmpty()).toList();
        if (out.size() >= members.majority) {
            // So many do not step at once: more likely it is we who were suspended, with a clock that stood still.
            out.forEach(each -> each.sitOut(""));
            events.disturbed(
                    "clock",
                    "the clocks of " + out.size() + " of " + members.size()
                            + " servers have stepped alike: suspect the clock of this machine");
            return;
        }
        events.disturbed(member.address(), why + " for " + maxLease.toMillis() + " ms");
        environment.schedule(maxLease.toNanos(), () -> {
            if (member.sitsOut().equals(why)) {
                member.sitOut("");
            }
        });
    }
}
