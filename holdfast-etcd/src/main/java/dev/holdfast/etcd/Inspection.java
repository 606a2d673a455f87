package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.BackendNotice;
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
import java.util.concurrent.CompletableFuture;

/** Describes, lists and breaks locks, for operators. What it tells is no older than the question. */
final class Inspection {
    private static final int PAGE = 1000;
    /** So much is left at least of a claim that the servers show. */
    private static final Duration LEAST = Duration.ofMillis(1);

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

    /** One name, and the claims for it in their order. */
    private record Queue(String name, List<KeyValue> claims) {
        KeyValue first() {
            return claims.get(0);
        }
    }

    CompletableFuture<List<LockState>> describe(String name) {
        return queue(name)
                .thenCompose(this::state)
                .thenApply(state -> state.stream().toList());
    }

    private CompletableFuture<Queue> queue(String name) {
        return client.ask(
                        KVGrpc.getRangeMethod(), Requests.all(keys.queue(name)).build())
                .thenApply(found -> new Queue(
                        name,
                        found.getKvsList().stream()
                                .filter(each -> keys.parse(each.getKey()).isPresent())
                                .toList()));
    }

    private CompletableFuture<Optional<LockState>> state(Queue queue) {
        if (queue.claims().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return timeToLive(queue.first().getLease()).thenApply(left -> Optional.of(state(queue, left)));
    }

    private LockState state(Queue queue, Duration left) {
        KeyValue first = queue.first();
        ClaimData data = ClaimData.parse(first.getValue());
        Owner owner = keys.parse(first.getKey()).orElseThrow().owner();
        Duration remaining = left.compareTo(data.lease()) < 0 ? left : data.lease();
        return LockState.builder(queue.name(), owner)
                .holder(data.holder())
                .tokens(ClaimData.lastToken(first.getCreateRevision(), data.tokens()), data.tokens())
                .since(data.made())
                .remaining(remaining.compareTo(LEAST) < 0 ? LEAST : remaining)
                .waiters(
                        queue.claims().stream().skip(1).map(Inspection::waiting).toList())
                .build();
    }

    private static Waiting waiting(KeyValue claim) {
        ClaimData data = ClaimData.parse(claim.getValue());
        return Waiting.of(data.holder(), data.waitingSince());
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
                .thenCompose(this::states)
                .whenComplete((states, failure) -> {
                    if (failure == null) {
                        result.complete(states);
                    } else {
                        result.completeExceptionally(Errors.explain(failure));
                    }
                });
        return result;
    }

    private CompletableFuture<List<Queue>> collect(
            ByteString from, ByteString end, int limit, List<Queue> found, CompletableFuture<?> wanted) {
        if (found.size() >= limit || wanted.isDone()) {
            return CompletableFuture.completedFuture(found.subList(0, Math.min(limit, found.size())));
        }
        RangeRequest page = RangeRequest.newBuilder()
                .setKey(from)
                .setRangeEnd(end)
                .setLimit(PAGE)
                .build();
        return client.ask(KVGrpc.getRangeMethod(), page).thenCompose(read -> {
            Map<String, List<KeyValue>> names = byName(read);
            if (!read.getMore()) {
                names.forEach((name, claims) -> found.add(new Queue(name, claims)));
                return CompletableFuture.completedFuture(found.subList(0, Math.min(limit, found.size())));
            }
            ByteString next = read.getKvs(read.getKvsCount() - 1).getKey().concat(ByteString.copyFrom(new byte[1]));
            Optional<String> cut =
                    keys.parse(read.getKvs(read.getKvsCount() - 1).getKey()).map(Keys.ClaimKey::name);
            // The rest of its claims is on the next page: read it on its own.
            cut.ifPresent(names::remove);
            names.forEach((name, claims) -> found.add(new Queue(name, claims)));
            ByteString after = cut.map(name -> Keys.endOf(keys.queue(name))).orElse(next);
            CompletableFuture<Queue> whole =
                    cut.map(this::queue).orElseGet(() -> CompletableFuture.completedFuture(new Queue("", List.of())));
            return whole.thenCompose(queue -> {
                if (!queue.claims().isEmpty()) {
                    found.add(queue);
                }
                return collect(after, end, limit, found, wanted);
            });
        });
    }

    private Map<String, List<KeyValue>> byName(RangeResponse page) {
        Map<String, List<KeyValue>> names = new LinkedHashMap<>();
        for (KeyValue each : page.getKvsList()) {
            keys.parse(each.getKey())
                    .ifPresentOrElse(
                            key -> names.computeIfAbsent(key.name(), name -> new ArrayList<>())
                                    .add(each),
                            () -> events.notice(BackendNotice.warning(
                                    "etcd",
                                    "a key that is no claim stands among the locks: "
                                            + each.getKey().toStringUtf8())));
        }
        names.values().forEach(claims -> claims.sort(Comparator.comparingLong(KeyValue::getCreateRevision)));
        return names;
    }

    /** The locks of one process hang on one lease, so there are few to ask for. */
    private CompletableFuture<List<LockState>> states(List<Queue> queues) {
        List<Long> leases = queues.stream()
                .map(queue -> queue.first().getLease())
                .distinct()
                .toList();
        return Futures.all(leases.stream().map(this::timeToLive).toList())
                .thenApply(lefts -> queues.stream()
                        .map(queue -> state(
                                queue, lefts.get(leases.indexOf(queue.first().getLease()))))
                        .sorted(Comparator.comparing(LockState::name))
                        .toList());
    }

    CompletableFuture<Optional<LockState>> breakLock(String name, Owner owner) {
        return queue(name)
                .thenCompose(queue -> state(queue).thenCompose(state -> {
                    if (state.isEmpty() || !state.get().tenure().isOf(owner)) {
                        return CompletableFuture.completedFuture(Optional.<LockState>empty());
                    }
                    KeyValue first = queue.first();
                    return removals.remove(first.getKey(), first.getCreateRevision())
                            .thenApply(removed -> removed ? state : Optional.<LockState>empty());
                }));
    }
}
