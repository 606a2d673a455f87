package dev.holdfast;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A Holdfast in virtual time on a store whose answers the test writes. */
abstract class ScriptedStoreTest {
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration VALIDITY = Duration.ofMillis(30_000 - 300 - 2);
    static final Duration MINUTE = Duration.ofMinutes(1);

    final ManualTime time = new ManualTime();
    final ScriptedBackend backend = new ScriptedBackend();
    final List<String> heard = new ArrayList<>();
    final Holdfast holdfast = Holdfast.builder(backend)
            .environment(time)
            .closeGrace(Duration.ZERO)
            .listener(new LockListener() {
                @Override
                public void lost(Loss loss) {
                    heard.add(loss.kind() + " " + loss.name());
                }

                @Override
                public void released(LockKey lock, FencingToken token, Duration held) {
                    heard.add("released " + lock.name());
                }

                @Override
                public void renewalFailed(LockKey lock, FencingToken token, Throwable cause) {
                    heard.add("renewal failed " + lock.name());
                }

                @Override
                public void notice(BackendNotice notice) {
                    heard.add("notice: " + notice.source());
                }
            })
            .build();

    /** The last one that was granted. */
    Claim lastClaim;

    Lease granted(String name, long lastToken) {
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync();
        lastClaim = backend.asked.element().claim();
        backend.asked.remove().grant(lastToken, backend.full(LEASE));
        return waiting.join();
    }

    Lease fixedLease(String name) {
        CompletableFuture<Lease> waiting = holdfast.lock(name).fixed().acquireAsync();
        backend.asked.remove().grant(1, backend.full(LEASE));
        return waiting.join();
    }

    void answerRenewals(long sentNanos) {
        while (!backend.renewals.isEmpty()) {
            var renewing = backend.renewals.remove();
            renewing.answer()
                    .complete(renewing.holdings().stream()
                            .<Renewal>map(each -> new Renewal.Renewed(Validity.until(sentNanos, each.lease())))
                            .toList());
        }
    }

    /** How many names this process knows of. */
    int names() {
        try {
            return holdfast.health(Duration.ofSeconds(1)).names();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
