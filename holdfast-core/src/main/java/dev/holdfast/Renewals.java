package dev.holdfast;

import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Renewal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends renewals, many in one request, and brings the answers back to their names. */
final class Renewals {
    /** Large enough that requests are few, small enough that one request does not stall a server. */
    private static final int MOST_PER_REQUEST = 500;

    private final Engine engine;
    private final LockBackend backend;

    Renewals(Engine engine, LockBackend backend) {
        this.engine = engine;
        this.backend = backend;
    }

    Batch newBatch() {
        return new Batch();
    }

    void renew(Tenure tenure) {
        send(List.of(tenure));
    }

    /** Renewals that came due together. Used by one thread. */
    final class Batch {
        private final List<Tenure> tenures = new ArrayList<>();

        void add(Tenure tenure) {
            tenures.add(tenure);
        }

        void send() {
            if (tenures.size() > MOST_PER_REQUEST) {
                // Otherwise each batch would have a few of every group, and cost a request for each.
                tenures.sort(Comparator.comparingInt(tenure -> backend.renewalGroup(tenure.key)));
            }
            for (int from = 0; from < tenures.size(); from += MOST_PER_REQUEST) {
                Renewals.this.send(
                        List.copyOf(tenures.subList(from, Math.min(tenures.size(), from + MOST_PER_REQUEST))));
            }
        }
    }

    private void send(List<Tenure> tenures) {
        List<Holding> holdings = tenures.stream().map(Tenure::holding).toList();
        engine.calls.whenDone(engine.calls.call(() -> backend.renew(holdings)), (renewals, failure) -> {
            for (int i = 0; i < tenures.size(); i++) {
                engine.renewalAnswered(tenures.get(i), answerAt(i, renewals, failure, tenures.size()));
            }
        });
    }

    private static Renewal answerAt(int i, @Nullable List<Renewal> renewals, @Nullable Throwable failure, int asked) {
        if (failure != null) {
            return new Renewal.Unknown(failure);
        }
        if (renewals == null || renewals.size() != asked) {
            return new Renewal.Unknown(new IllegalStateException("The backend answered "
                    + (renewals == null ? "null" : renewals.size() + " renewals") + " to a batch of " + asked));
        }
        return renewals.get(i);
    }
}
