package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.BackendNotice;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.etcd.rpc.LeaseGrpc;
import dev.holdfast.etcd.rpc.LeaseTimeToLiveRequest;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.etcd.rpc.RangeResponse;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Describes, lists and breaks locks, for operators. What it tells is no older than the question. */
final class Inspection {
    private static final int PAGE = 1000;
    /** So much is left at least of a claim that the servers show. */
    private static final Duration LEAST = Duration.ofMillis(1);

    private static final Owner NOBODY = new Owner(0, 0);

    private final Client client;
    private final Keys keys;
    private final Removals removals;
    private final Events events;

    Inspection(Client client, Keys keys, Removals removals, Events events) {
        this.client = client;
        this.keys = keys;
        this.removals = removals;
        this.events = events;
    }

    /** All who stand under one key, in their order. */
    private record Queue(String key, List<Standing> all) {
        /** Those who hold it, as core wants them listed. */
        List<Standing> holders() {
            return switch (LockKey.kindOf(key)) {
                case LOCK -> all.stream().limit(1).toList();
                case SEMAPHORE ->
                    all.stream()
                            .filter(each -> each.key().share())
                            .sorted(Comparator.comparingInt(each -> each.key().slot()))
                            .toList();
                case READ_WRITE_LOCK ->
                    !all.isEmpty() && all.get(0).key().share()
                            ? all.stream().takeWhile(each -> each.key().share()).toList()
                            : all.stream().limit(1).toList();
            };
        }

        List<Waiting> waiters() {
            List<Standing> holders = holders();
            Set<Owner> owners = holders.stream().map(Standing::owner).collect(Collectors.toSet());
            return all.stream()
                    .filter(each -> !holders.contains(each) && !owners.contains(each.owner()))
                    .map(each -> Waiting.of(each.data().holder(), each.data().waitingSince()))
                    .toList();
        }
    }

    /** A claim, a reader or a slot. */
    private record Standing(Keys.ClaimKey key, KeyValue found, ClaimData data) {
        /** Whose slot it is stands in its value; if nobody can read that, it is nobody's that is known. */
        Owner owner() {
            return key.share() && LockKey.kindOf(key.key()) == LockKind.SEMAPHORE
                    ? data.owner().orElse(NOBODY)
                    : key.owner();
        }
    }

    private record Held(Queue queue, Standing holder) {}

    CompletableFuture<List<LockState>> describe(String key) {
        return queue(key).thenCompose(queue -> states(held(queue)));
    }

    private static List<Held> held(Queue queue) {
        return queue.holders().stream().map(each -> new Held(queue, each)).toList();
    }

    private CompletableFuture<Queue> queue(String key) {
        return client.ask(KVGrpc.getRangeMethod(), Requests.all(keys.line(key)).build())
                .thenApply(found -> new Queue(
                        key,
                        found.getKvsList().stream()
                                .flatMap(each -> standing(each).stream())
                                .toList()));
    }

    private Optional<Standing> standing(KeyValue found) {
        return keys.parse(found.getKey()).map(key -> new Standing(key, found, ClaimData.parse(found.getValue())));
    }

    private static LockState state(Held held, Duration left) {
        Standing holder = held.holder();
        ClaimData data = holder.data();
        Duration remaining = left.compareTo(data.lease()) < 0 ? left : data.lease();
        return LockState.builder(held.queue().key(), holder.owner())
                .slot(holder.key().slot())
                .shared(holder.key().share() && LockKey.kindOf(holder.key().key()) == LockKind.READ_WRITE_LOCK)
                .holder(data.holder())
                .tokens(ClaimData.lastToken(holder.found().getCreateRevision(), data.tokens()), data.tokens())
                .since(data.made())
                .remaining(remaining.compareTo(LEAST) < 0 ? LEAST : remaining)
                .waiters(held.queue().waiters())
                .build();
    }

    /** Of a lease at the servers, in the whole seconds in which they tell it. */
    private CompletableFuture<Duration> timeToLive(long lease) {
        return client.ask(
                        LeaseGrpc.getLeaseTimeToLiveMethod(),
                        LeaseTimeToLiveRequest.newBuilder().setID(lease).build())
                .thenApply(left -> Duration.ofSeconds(Math.max(0, left.getTTL())));
    }

    /** Ends when the caller completes or cancels what it got: nothing more is asked for then. */
    CompletableFuture<List<LockState>> list(String prefix, int limit) {
        CompletableFuture<List<LockState>> result = new CompletableFuture<>();
        ByteString from = keys.names(prefix);
        var unused = collect(from, Keys.endOf(from), Math.max(0, limit), new ArrayList<>(), result)
                .thenCompose(found -> states(found.subList(0, Math.min(Math.max(0, limit), found.size()))))
                .whenComplete((states, failure) -> {
                    if (failure == null) {
                        result.complete(states);
                    } else {
                        result.completeExceptionally(Errors.explain(failure));
                    }
                });
        return result;
    }

    private CompletableFuture<List<Held>> collect(
            ByteString from, ByteString end, int limit, List<Held> found, CompletableFuture<?> wanted) {
        if (found.size() >= limit || wanted.isDone()) {
            return CompletableFuture.completedFuture(found);
        }
        RangeRequest page = RangeRequest.newBuilder()
                .setKey(from)
                .setRangeEnd(end)
                .setLimit(PAGE)
                .build();
        return client.ask(KVGrpc.getRangeMethod(), page).thenCompose(read -> {
            Map<String, List<Standing>> queues = byKey(read);
            Optional<KeyValue> last =
                    read.getMore() ? Optional.of(read.getKvs(read.getKvsCount() - 1)) : Optional.empty();
            Optional<String> cut =
                    last.flatMap(this::standing).map(each -> each.key().key());
            // The rest of what stands there is on the next page: read it on its own.
            cut.ifPresent(queues::remove);
            queues.forEach((key, all) -> found.addAll(held(new Queue(key, all))));
            if (last.isEmpty()) {
                return CompletableFuture.completedFuture(found);
            }
            if (cut.isEmpty()) {
                return collect(last.get().getKey().concat(ByteString.copyFrom(new byte[1])), end, limit, found, wanted);
            }
            return queue(cut.get()).thenCompose(whole -> {
                found.addAll(held(whole));
                return collect(keys.line(cut.get()).end(), end, limit, found, wanted);
            });
        });
    }

    private Map<String, List<Standing>> byKey(RangeResponse page) {
        Map<String, List<Standing>> queues = new LinkedHashMap<>();
        for (KeyValue each : page.getKvsList()) {
            standing(each)
                    .ifPresentOrElse(
                            standing -> queues.computeIfAbsent(standing.key().key(), key -> new ArrayList<>())
                                    .add(standing),
                            () -> events.notice(BackendNotice.warning(
                                    "etcd",
                                    "a key that is no claim stands among the locks: "
                                            + each.getKey().toStringUtf8())));
        }
        queues.values()
                .forEach(all ->
                        all.sort(Comparator.comparingLong(each -> each.found().getCreateRevision())));
        return queues;
    }

    /** What one process holds hangs on one lease, so there are few to ask for. */
    private CompletableFuture<List<LockState>> states(List<Held> held) {
        List<Long> leases = held.stream()
                .map(each -> each.holder().found().getLease())
                .distinct()
                .toList();
        return Futures.all(leases.stream().map(this::timeToLive).toList())
                .thenApply(lefts -> held.stream()
                        .map(each -> state(
                                each,
                                lefts.get(leases.indexOf(each.holder().found().getLease()))))
                        .sorted(Comparator.comparing(state -> state.key().encoded()))
                        .toList());
    }

    CompletableFuture<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return queue(key).thenCompose(queue -> {
            Optional<Held> seen = held(queue).stream()
                    .filter(each -> each.holder().owner().equals(owner)
                            && each.holder().key().slot() == slot)
                    .findFirst();
            if (seen.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            KeyValue found = seen.get().holder().found();
            return states(List.of(seen.get()))
                    .thenCompose(states -> removals.remove(found.getKey(), found.getCreateRevision())
                            .thenApply(removed -> removed ? Optional.of(states.get(0)) : Optional.<LockState>empty()));
        });
    }
}
