package dev.holdfast.spring.boot;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A held lock as the endpoint shows it. The owner is not there: whoever knows it could release the lock at the store. Numbers and
 * times are texts, because tokens of ZooKeeper are too large for a number in JSON, and Boot 3 and 4 write times differently.
 *
 * @param firstToken the tokens of the tenure, from here
 * @param remaining how long it lasts if nobody renews it
 * @param votes how many nodes of the store hold it so
 */
record LockDescription(
        String name,
        ProcessInfo holder,
        String firstToken,
        String lastToken,
        String since,
        String remaining,
        String votes,
        List<ProcessInfo> waiting) {

    /**
     * Who holds the lock, or waits for it.
     *
     * @param since when it began to wait, if that is known; null for the holder
     */
    record ProcessInfo(
            String host,
            long pid,
            String description,
            @Nullable String since) {
        static ProcessInfo of(Holder holder, @Nullable Instant since) {
            boolean known = since != null && !since.equals(Instant.EPOCH);
            return new ProcessInfo(
                    holder.host(), holder.pid(), holder.description(), known ? String.valueOf(since) : null);
        }

        static ProcessInfo of(Waiting waiting) {
            return of(waiting.process(), waiting.since());
        }
    }

    static LockDescription of(LockState state) {
        return new LockDescription(
                state.name(),
                ProcessInfo.of(state.holder(), null),
                state.tokens().first().toString(),
                state.tokens().last().toString(),
                state.since().toString(),
                state.remaining().toString(),
                state.votes().toString(),
                state.waiters().stream().map(ProcessInfo::of).toList());
    }
}
