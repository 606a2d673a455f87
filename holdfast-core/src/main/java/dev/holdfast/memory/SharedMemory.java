package dev.holdfast.memory;

import dev.holdfast.LockKind;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Semaphores and read-write locks of {@link InMemoryBackend}: keys with several holders. As in {@link Memory}, expiry needs no
 * timer: whoever asks first serves the queue.
 */
final class SharedMemory {
    private record Queued(Claim claim, InMemoryBackend client) {}

    private static final class Held {
        final Claim claim;
        final InMemoryBackend client;
        final int slot;
        final long lastToken;
        final long sinceNanos;
        long expiresNanos;

        Held(Queued served, int slot, long lastToken, long now) {
            this.claim = served.claim();
            this.client = served.client();
            this.slot = slot;
            this.lastToken = lastToken;
            this.sinceNanos = now;
            this.expiresNanos = now + claim.lease().toNanos();
        }

        Grant grant(long now) {
            return Grant.full(lastToken, claim.tokens(), Validity.until(now, claim.lease()))
                    .ofSlot(slot);
        }
    }

    /** Who holds one key, and who waits for it. */
    private static final class Entry {
        final List<Held> holders = new ArrayList<>();
        final List<Queued> queue = new ArrayList<>();
    }

    private final OneAtATime oneAtATime = new OneAtATime();
    private final Map<String, Entry> entries = new TreeMap<>();
    private long counter;

    Answer acquire(Claim claim, InMemoryBackend client) {
        return oneAtATime.run(() -> {
            long now = client.environment().nanoTime();
            Entry entry = entries.computeIfAbsent(claim.key(), unused -> new Entry());
            serve(claim.key(), entry, now, null);
            // Where nobody was left, it has just been taken out.
            entries.put(claim.key(), entry);
            Held held = holder(entry, claim.owner(), now);
            if (held != null) {
                // The same claim again: the same grant, for a full lease from now.
                held.expiresNanos =
                        Math.max(held.expiresNanos, now + claim.lease().toNanos());
                return new Answer.Granted(held.grant(now));
            }
            boolean stood = isQueued(entry, claim.owner());
            if (!stood) {
                entry.queue.add(new Queued(claim, client));
                serve(claim.key(), entry, now, claim.owner());
                held = holder(entry, claim.owner(), now);
                if (held != null) {
                    return new Answer.Granted(held.grant(now));
                }
                if (!claim.queue()) {
                    removeQueued(entry, claim.owner());
                }
            }
            return busy(entry, claim, now);
        });
    }

    private static Answer.Busy busy(Entry entry, Claim claim, long now) {
        Held first = entry.holders.stream()
                .min(Comparator.comparingLong(held -> held.expiresNanos - now))
                .orElse(null);
        // Without a holder those in front have just left: whoever serves them next serves this one, too.
        Duration retryAfter = first == null ? Duration.ofMillis(1) : Duration.ofNanos(first.expiresNanos - now);
        return new Answer.Busy(retryAfter, isQueued(entry, claim.owner()), first == null ? null : first.claim.holder());
    }

    Renewal renew(Holding holding, long now) {
        return oneAtATime.run(() -> {
            Held held = holder(holding, now);
            if (held == null) {
                return new Renewal.Gone();
            }
            held.expiresNanos =
                    Math.max(held.expiresNanos, now + holding.lease().toNanos());
            return new Renewal.Renewed(Validity.until(now, holding.lease()));
        });
    }

    boolean release(String key, Owner owner, long now) {
        return oneAtATime.run(() -> end(key, owner, now) != null);
    }

    boolean releaseLater(Holding holding, Duration keep, long now) {
        return oneAtATime.run(() -> {
            Held held = holder(holding, now);
            if (held == null) {
                return false;
            }
            held.expiresNanos = now + keep.toNanos();
            // They would look again when the lease would have ended.
            for (Queued waiting : Objects.requireNonNull(entries.get(holding.key())).queue) {
                InMemoryBackend client = waiting.client();
                oneAtATime.tell(client, () -> client.events().maybeFree(holding.key()));
            }
            return true;
        });
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    Void withdraw(String key, Owner owner, long now) {
        return oneAtATime.run(() -> {
            Entry entry = entries.get(key);
            if (entry != null) {
                removeQueued(entry, owner);
                entry.holders.removeIf(held -> held.claim.owner().equals(owner));
                serve(key, entry, now, null);
            }
            return null;
        });
    }

    List<LockState> describe(String key, long now) {
        return oneAtATime.run(() -> {
            Entry entry = entries.get(key);
            return entry == null ? List.of() : states(key, entry, now);
        });
    }

    List<LockState> list(String prefix, int limit, long now) {
        return oneAtATime.run(() -> entries.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix))
                .flatMap(each -> states(each.getKey(), each.getValue(), now).stream())
                .limit(limit)
                .toList());
    }

    Optional<LockState> breakLock(String key, Owner owner, long now) {
        return oneAtATime.run(() -> {
            Entry entry = entries.get(key);
            Optional<LockState> seen = entry == null
                    ? Optional.empty()
                    : states(key, entry, now).stream()
                            .filter(state -> state.tenure().isOf(owner))
                            .findFirst();
            seen.ifPresent(unused -> end(key, owner, now));
            return seen;
        });
    }

    void expireNow(String key, long now) {
        oneAtATime.run(() -> {
            Entry entry = entries.get(key);
            if (entry != null) {
                entry.holders.clear();
                serve(key, entry, now, null);
            }
            return true;
        });
    }

    void lose(String key, long now) {
        oneAtATime.run(() -> {
            Entry entry = entries.get(key);
            if (entry != null) {
                for (Held held : entry.holders) {
                    oneAtATime.tell(
                            held.client,
                            () -> held.client.events().lost(key, held.claim.owner(), "the store lost its memory"));
                }
                entry.holders.clear();
                serve(key, entry, now, null);
            }
            return true;
        });
    }

    void forgetWaitersOf(InMemoryBackend client, long now) {
        oneAtATime.run(() -> {
            for (String key : List.copyOf(entries.keySet())) {
                Entry entry = Objects.requireNonNull(entries.get(key));
                entry.queue.removeIf(waiting -> waiting.client() == client);
                serve(key, entry, now, null);
            }
            return true;
        });
    }

    private @Nullable Held end(String key, Owner owner, long now) {
        Entry entry = entries.get(key);
        Held held = entry == null ? null : holder(entry, owner, now);
        if (entry != null && held != null) {
            entry.holders.remove(held);
            serve(key, entry, now, null);
        }
        return held;
    }

    /**
     * Gives what is free to those who wait, in their order.
     *
     * @param asking is told by the answer to its question, and by nothing else
     */
    private void serve(String key, Entry entry, long now, @Nullable Owner asking) {
        entry.holders.removeIf(held -> now - held.expiresNanos >= 0);
        for (Iterator<Queued> line = entry.queue.iterator(); line.hasNext(); ) {
            Queued next = line.next();
            int slot = freeSlot(entry, next.claim());
            if (slot >= 0) {
                line.remove();
                counter += next.claim().tokens();
                Held held = new Held(next, slot, counter, now);
                entry.holders.add(held);
                if (!next.claim().owner().equals(asking)) {
                    Grant grant = held.grant(now);
                    oneAtATime.tell(
                            next.client(),
                            () -> next.client()
                                    .events()
                                    .granted(key, next.claim().owner(), grant));
                }
            } else if (next.claim().kind() == LockKind.READ_WRITE_LOCK) {
                // Nobody passes the first that has to wait. Of a semaphore, somebody with more slots may.
                break;
            }
        }
        if (entry.holders.isEmpty() && entry.queue.isEmpty()) {
            entries.remove(key);
        }
    }

    /** Which slot this claim can have now; negative if none. */
    private static int freeSlot(Entry entry, Claim claim) {
        if (claim.kind() == LockKind.READ_WRITE_LOCK) {
            boolean free = claim.shared()
                    ? entry.holders.stream().allMatch(held -> held.claim.shared())
                    : entry.holders.isEmpty();
            return free ? 0 : -1;
        }
        for (int slot = 0; slot < claim.slots(); slot++) {
            int wanted = slot;
            if (entry.holders.stream().noneMatch(held -> held.slot == wanted)) {
                return slot;
            }
        }
        return -1;
    }

    private @Nullable Held holder(Holding holding, long now) {
        Entry entry = entries.get(holding.key());
        Held held = entry == null ? null : holder(entry, holding.owner(), now);
        return held == null || held.lastToken != holding.lastToken() ? null : held;
    }

    private static @Nullable Held holder(Entry entry, Owner owner, long now) {
        for (Held held : entry.holders) {
            if (held.claim.owner().equals(owner) && now - held.expiresNanos < 0) {
                return held;
            }
        }
        return null;
    }

    private static boolean isQueued(Entry entry, Owner owner) {
        return entry.queue.stream().anyMatch(waiting -> waiting.claim().owner().equals(owner));
    }

    private static void removeQueued(Entry entry, Owner owner) {
        entry.queue.removeIf(waiting -> waiting.claim().owner().equals(owner));
    }

    private static List<LockState> states(String key, Entry entry, long now) {
        List<Waiting> queue =
                entry.queue.stream().map(queued -> Memory.shown(queued.claim())).toList();
        return entry.holders.stream()
                .filter(held -> now - held.expiresNanos < 0)
                .sorted(Comparator.<Held>comparingInt(held -> held.slot).thenComparingLong(held -> held.lastToken))
                .map(held -> LockState.builder(key, held.claim.owner())
                        .slot(held.slot)
                        .shared(held.claim.shared())
                        .holder(held.claim.holder())
                        .tokens(held.lastToken, held.claim.tokens())
                        .since(Memory.wallTime(held.client, now, held.sinceNanos))
                        .remaining(Duration.ofNanos(held.expiresNanos - now))
                        .waiters(queue)
                        .build())
                .toList();
    }
}
