package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs;

/** What endangers the lock here. */
final class Diagnosis {
    private Diagnosis() {}

    static List<Finding> of(ZooKeeperBackend.Settings settings, Duration session) {
        List<Finding> findings = new ArrayList<>();
        Timing timing = settings.timing();
        if (timing.leavesNothingOf(session)) {
            findings.add(new Finding(
                    Severity.DANGER,
                    "The servers grant a session of " + session.toMillis()
                            + " ms, which proves nothing: no lock is given.",
                    timing.complaint(session)));
        } else {
            findings.add(new Finding(
                    Severity.NOTE,
                    "Validity is counted with tickTime " + timing.tick().toMillis() + " ms and syncLimit "
                            + timing.syncLimit() + ": of a session of " + session.toMillis() + " ms at least "
                            + timing.usableNanos(session) / 1_000_000 + " ms are usable.",
                    "If the servers are set to more, say so: a client cannot read it."));
        }
        if (settings.framework() == null && settings.address().servers() == 1) {
            findings.add(new Finding(
                    Severity.NOTE,
                    "Only one server is known: while it is away nothing can be locked.",
                    "If it is one of several, name them all in the connect string."));
        }
        if (settings.acl().equals(ZooDefs.Ids.OPEN_ACL_UNSAFE)) {
            findings.add(new Finding(
                    Severity.WARNING,
                    "The nodes are open to everybody: whoever reaches the servers can remove a lock.",
                    "Set digest() or acl(); docs/zookeeper.md shows it."));
        }
        return findings;
    }
}
