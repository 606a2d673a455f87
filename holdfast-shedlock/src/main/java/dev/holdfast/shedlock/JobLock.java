package dev.holdfast.shedlock;

import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** What ShedLock holds for one run of a job: usable once, to unlock or to extend. An extended one is another object. */
final class JobLock extends AbstractSimpleLock {
    private final HeldJob held;

    JobLock(LockConfiguration job, HeldJob held) {
        super(job);
        this.held = held;
        held.endAt(job.getLockAtMostUntil());
    }

    @Override
    protected void doUnlock() {
        held.unlock(lockConfiguration.getUnlockTime());
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
        return held.isValid() ? Optional.of(new JobLock(longer, held)) : Optional.empty();
    }
}
