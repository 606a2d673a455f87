package dev.holdfast.memory;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The locks of {@link InMemoryBackend}; {@link SharedMemory} has what more than one can hold. Expiry needs no timer: a waiting client asks again when the lease it waits for
 * ends, and whoever asks first serves the queue.
 */
final class Memory {
    private record Queued(Claim claim, InMemoryBackend client) {}

    /** A lock that is held, or was held until it expired and has waiters that nobody has served yet. */
    private static final class Entry {
        Owner owner;
        Holder holder;
        InMemoryBackend client;
        long lastToken;
        int tokens;
        long expiresNanos;
        long sinceNanos;

        @Nullable
        ArrayDeque<Queued> queue;

        Entry(Claim claim, InMemoryBackend client) {
            this.owner = claim.owner();
            this.holder = claim.holder();
            this.client = client;
        }
    }

    private final OneAtATime oneAtATime = new OneAtATime();
    private final Map<String, Entry> entries = new HashMap<>();
    private long counter;
    private int sweepAtSize = 64;

    Answer acquire(Claim claim, InMemoryBackend client) {
        return oneAtATime.run(() -> {
            long now = client.environment().nanoTime();
            sweepNowAndThen(now);
            Entry entry = entries.get(claim.key());
            if (entry != null && hasExpired(entry, now)) {
                entry = handOver(claim.key(), entry, now);
            }
            if (entry == null) {
                entry = new Entry(claim, client);
                entries.put(claim.key(), entry);
                return new Answer.Granted(grantTo(entry, new Queued(claim, client), now));
            }
            if (entry.owner.equals(claim.owner())) {
                // The same claim again: the same grant, for a full lease from now.
                entry.expiresNanos =
                        Math.max(entry.expiresNanos, now + claim.lease().toNanos());
                return new Answer.Granted(
                        Grant.full(entry.lastToken, entry.tokens, Validity.until(now, claim.lease())));
            }
            if (claim.queue()) {
                enqueue(entry, new Queued(claim, client));
            }
            return new Answer.Busy(Duration.ofNanos(entry.expiresNanos - now), claim.queue(), entry.holder);
        });
    }

    Renewal renew(Holding holding, long now) {
        return oneAtATime.run(() -> {
            Entry entry = live(holding.key(), holding.owner(), now);
            if (entry == null || entry.lastToken != holding.lastToken()) {
                return new Renewal.Gone();
            }
            entry.expiresNanos =
                    Math.max(entry.expiresNanos, now + holding.lease().toNanos());
            return new Renewal.Renewed(Validity.until(now, holding.lease()));
        });
    }

    boolean release(String name, Owner owner, long now) {
        return oneAtATime.run(() -> {
            Entry entry = live(name, owner, now);
            if (entry == null) {
                return false;
            }
            handOver(name, entry, now);
            return true;
        });
    }

    boolean releaseLater(Holding holding, Duration keep, long now) {
        return oneAtATime.run(() -> {
            Entry entry = live(holding.key(), holding.owner(), now);
            if (entry == null || entry.lastToken != holding.lastToken()) {
                return false;
            }
            entry.expiresNanos = now + keep.toNanos();
            if (entry.queue != null) {
                // They would look again when the lease would have ended.
                for (Queued waiting : entry.queue) {
                    InMemoryBackend client = waiting.client();
                    oneAtATime.tell(client, () -> client.events().maybeFree(holding.key()));
                }
            }
            return true;
        });
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    Void withdraw(String name, Owner owner, long now) {
        // Out of the queue first: the other way round it could be granted in between, and stay so.
        oneAtATime.run(() -> {
            Entry entry = entries.get(name);
            return entry != null
                    && entry.queue != null
                    && entry.queue.removeIf(waiting -> waiting.claim().owner().equals(owner));
        });
        release(name, owner, now);
        return null;
    }

    List<LockState> describe(String name, long now) {
        return oneAtATime.run(() -> {
            Entry entry = entries.get(name);
            return entry == null || hasExpired(entry, now) ? List.of() : List.of(state(name, entry, now));
        });
    }

    List<LockState> list(String prefix, int limit, long now) {
        return oneAtATime.run(() -> entries.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix) && !hasExpired(each.getValue(), now))
                .map(each -> state(each.getKey(), each.getValue(), now))
                .sorted(Comparator.comparing(LockState::name))
                .limit(limit)
                .toList());
    }

    Optional<LockState> breakLock(String name, Owner owner, long now) {
        return oneAtATime.run(() -> {
            Entry entry = live(name, owner, now);
            if (entry == null) {
                return Optional.empty();
            }
            LockState broken = state(name, entry, now);
            handOver(name, entry, now);
            return Optional.of(broken);
        });
    }

    void expireNow(String name, long now) {
        oneAtATime.run(() -> {
            Entry entry = entries.get(name);
            return entry == null ? null : handOver(name, entry, now);
        });
    }

    void lose(String name, long now) {
        oneAtATime.run(() -> {
            Entry entry = entries.get(name);
            if (entry != null && !hasExpired(entry, now)) {
                InMemoryBackend client = entry.client;
                Owner owner = entry.owner;
                oneAtATime.tell(client, () -> client.events().lost(name, owner, "the store lost its memory"));
            }
            return entry == null ? null : handOver(name, entry, now);
        });
    }

    void forgetWaitersOf(InMemoryBackend client) {
        oneAtATime.run(() -> {
            for (Entry entry : entries.values()) {
                if (entry.queue != null) {
                    entry.queue.removeIf(waiting -> waiting.client() == client);
                }
            }
            return true;
        });
    }

    /** On to the next waiter; without one the entry goes. */
    private @Nullable Entry handOver(String name, Entry entry, long now) {
        Queued next = entry.queue == null ? null : entry.queue.poll();
        if (next == null) {
            entries.remove(name);
            return null;
        }
        Grant grant = grantTo(entry, next, now);
        oneAtATime.tell(
                next.client(),
                () -> next.client().events().granted(name, next.claim().owner(), grant));
        return entry;
    }

    private Grant grantTo(Entry entry, Queued next, long now) {
        Claim claim = next.claim();
        counter += claim.tokens();
        entry.owner = claim.owner();
        entry.holder = claim.holder();
        entry.client = next.client();
        entry.lastToken = counter;
        entry.tokens = claim.tokens();
        entry.expiresNanos = now + claim.lease().toNanos();
        entry.sinceNanos = now;
        return Grant.full(counter, claim.tokens(), Validity.until(now, claim.lease()));
    }

    private static void enqueue(Entry entry, Queued waiting) {
        if (entry.queue == null) {
            entry.queue = new ArrayDeque<>();
        }
        Owner owner = waiting.claim().owner();
        if (entry.queue.stream().noneMatch(other -> other.claim().owner().equals(owner))) {
            entry.queue.add(waiting);
        }
    }

    private @Nullable Entry live(String name, Owner owner, long now) {
        Entry entry = entries.get(name);
        return entry == null || hasExpired(entry, now) || !entry.owner.equals(owner) ? null : entry;
    }

    private static boolean hasExpired(Entry entry, long now) {
        return now - entry.expiresNanos >= 0;
    }

    private static LockState state(String name, Entry entry, long now) {
        List<Waiting> queue = entry.queue == null
                ? List.of()
                : entry.queue.stream().map(queued -> shown(queued.claim())).toList();
        return LockState.builder(name, entry.owner)
                .holder(entry.holder)
                .tokens(entry.lastToken, entry.tokens)
                .since(wallTime(entry.client, now, entry.sinceNanos))
                .remaining(Duration.ofNanos(entry.expiresNanos - now))
                .waiters(queue)
                .build();
    }

    static Instant wallTime(InMemoryBackend client, long nowNanos, long thenNanos) {
        return Instant.EPOCH
                .plus(client.environment().wallMicros(), ChronoUnit.MICROS)
                .minusNanos(nowNanos - thenNanos);
    }

    static Waiting shown(Claim claim) {
        return Waiting.of(claim.holder(), Instant.EPOCH.plus(claim.sinceMicros(), ChronoUnit.MICROS));
    }

    /** Expired entries that nobody asks for again must not pile up. Each sweep is paid for by as many insertions. */
    private void sweepNowAndThen(long now) {
        if (entries.size() >= sweepAtSize) {
            entries.values()
                    .removeIf(entry -> hasExpired(entry, now) && (entry.queue == null || entry.queue.isEmpty()));
            sweepAtSize = Math.max(64, 2 * entries.size());
        }
    }
}
