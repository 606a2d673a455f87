package dev.holdfast.dashboard.json;

import dev.holdfast.Holder;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Votes;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Secrets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A holder as JSON: the same for {@code holdfast ls --json} and the console. The owner is never in it. */
public final class LockJson {
    private LockJson() {}

    /**
     * All that is known of it.
     *
     * @param queueIsKnown whether the store keeps a queue: an empty list would say that nobody waits
     */
    public static Map<String, Object> of(LockState state, boolean queueIsKnown) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", state.name());
        fields.put("kind", word(state.key().kind()));
        if (state.key().kind() == LockKind.SEMAPHORE) {
            fields.put("slot", state.slot());
        } else if (state.key().kind() == LockKind.READ_WRITE_LOCK) {
            fields.put("shared", state.shared());
        }
        fields.put("held", true);
        fields.put("holder", of(state.holder()));
        // As text: tokens may exceed what readers that know only doubles can tell apart.
        fields.put("firstToken", state.tokens().first().toString());
        fields.put("lastToken", state.tokens().last().toString());
        fields.put("since", state.since().toString());
        fields.put("remainingMillis", state.remaining().toMillis());
        if (state.votes().nodes() > 1) {
            fields.put("votes", votes(state.votes()));
        }
        if (queueIsKnown) {
            fields.put("waiters", state.waiters().stream().map(LockJson::of).toList());
        }
        return fields;
    }

    /** A kind for programs: lock, semaphore, read-write-lock. */
    public static String word(LockKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Map<String, Object> votes(Votes votes) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("granted", votes.granted());
        fields.put("nodes", votes.nodes());
        fields.put("grantedBy", votes.grantedBy());
        fields.put("others", votes.others());
        return fields;
    }

    /** Whether its place in the queue says since when it waits. */
    public static boolean knowsSince(Waiting waiting) {
        return waiting.since().isAfter(Instant.EPOCH);
    }

    private static Map<String, Object> of(Waiting waiting) {
        Map<String, Object> fields = of(waiting.process());
        if (knowsSince(waiting)) {
            fields.put("since", waiting.since().toString());
        }
        return fields;
    }

    /** Who holds a lock, or waits for it. */
    public static Map<String, Object> of(Holder holder) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("host", Secrets.mask(holder.host()));
        fields.put("pid", holder.pid());
        fields.put("description", Secrets.mask(holder.description()));
        return fields;
    }
}
