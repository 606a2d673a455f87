package dev.holdfast.etcd;

import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.etcd.rpc.PutRequest;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.etcd.rpc.ResponseOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.etcd.rpc.TxnResponse;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Renewal: each claim still waits for nobody, and each slot is still there, at a time after the renewal was sent. Reads alone, many claims in one
 * request; that the lease lives on which they hang is proven by its beats.
 */
final class Renewals {
    private static final Renewal GONE = new Renewal.Gone();
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(300);

    private final Client client;
    private final Keys keys;
    private final Places places;
    private final ServerLeases leases;
    private final Removals removals;
    private final Environment environment;

    Renewals(Client client, Keys keys, Places places, ServerLeases leases, Removals removals, Environment environment) {
        this.client = client;
        this.keys = keys;
        this.places = places;
        this.leases = leases;
        this.removals = removals;
        this.environment = environment;
    }

    private record Item(int index, Holding holding, Place place) {
        int steps() {
            return place.claim.shared() ? 2 : 1;
        }

        /** The first of those in its way; behind it itself, if it is not one of them. A slot is in nobody's. */
        List<RangeRequest> questions() {
            RangeRequest itself = Requests.exists(place.key);
            if (place.isForSlot()) {
                return List.of(itself);
            }
            RangeRequest first = Requests.first(place.ahead).setKeysOnly(true).build();
            return place.claim.shared() ? List.of(first, itself) : List.of(first);
        }
    }

    CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        Renewal[] answers = new Renewal[holdings.size()];
        List<Item> items = new ArrayList<>();
        List<CompletableFuture<Void>> batches = new ArrayList<>();
        for (int i = 0; i < answers.length; i++) {
            Holding holding = holdings.get(i);
            Place place = places.get(holding.owner());
            ServerLease lease = place == null ? null : place.lease;
            if (place == null || lease == null || lease.over || !place.isHeld(holding)) {
                answers[i] = GONE;
            } else if (ServerLease.secondsFor(holding.lease()) > lease.seconds) {
                batches.add(moveAndRenew(new Item(i, holding, place), answers));
            } else {
                items.add(new Item(i, holding, place));
            }
        }
        int from = 0;
        int steps = 0;
        for (int i = 0; i < items.size(); i++) {
            int more = items.get(i).steps();
            if (steps + more > Requests.MOST_STEPS) {
                batches.add(renew(items.subList(from, i), answers));
                from = i;
                steps = 0;
            }
            steps += more;
        }
        if (from < items.size()) {
            batches.add(renew(items.subList(from, items.size()), answers));
        }
        return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
                .thenApply(done -> Arrays.asList(answers));
    }

    /** The lease it hangs on is too short for what is asked for now: hangs it on a longer one. Its place stays. */
    private CompletableFuture<Void> moveAndRenew(Item item, Renewal[] answers) {
        Place place = item.place();
        Duration longer = item.holding().lease();
        return leases.obtain(longer)
                .thenCompose(lease -> {
                    PutRequest put = PutRequest.newBuilder()
                            .setKey(place.key)
                            .setValue(place.value(longer))
                            .setLease(lease.id)
                            .build();
                    return client.ask(KVGrpc.getTxnMethod(), Requests.move(place.key, place.revision, put))
                            .thenAccept(done -> {
                                if (done.getSucceeded()) {
                                    place.lease = lease;
                                }
                            });
                })
                .handle((moved, failure) -> failure)
                .thenCompose(failure -> {
                    if (failure == null) {
                        return renew(List.of(item), answers);
                    }
                    answers[item.index()] = new Renewal.Unknown(Errors.explain(failure));
                    return CompletableFuture.completedFuture(null);
                });
    }

    private CompletableFuture<Void> renew(List<Item> items, Renewal[] answers) {
        long sent = environment.nanoTime();
        TxnRequest.Builder questions = TxnRequest.newBuilder();
        Duration limit = LONGEST_WAIT;
        for (Item item : items) {
            item.questions().forEach(each -> questions.addSuccess(Requests.op(each)));
            Duration part = item.holding().lease().dividedBy(6);
            limit = part.compareTo(limit) < 0 ? part : limit;
        }
        Duration timeout = limit.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : limit;
        CompletableFuture<Void> judged = client.ask(KVGrpc.getTxnMethod(), questions.build(), timeout)
                .thenCompose(seen -> {
                    List<CompletableFuture<Void>> looks = new ArrayList<>();
                    int at = 0;
                    for (Item item : items) {
                        int next = at + item.steps();
                        looks.add(judge(item, seen.getResponsesList().subList(at, next), sent, answers));
                        at = next;
                    }
                    return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new));
                });
        return Futures.recover(judged, failure -> {
            items.forEach(item -> answers[item.index()] = new Renewal.Unknown(Errors.explain(failure)));
            return CompletableFuture.allOf();
        });
    }

    private CompletableFuture<Void> judge(Item item, List<ResponseOp> seen, long sentNanos, Renewal[] answers) {
        List<KeyValue> found = seen.get(0).getResponseRange().getKvsList();
        if (!found.isEmpty() && keys.parse(found.get(0).getKey()).isEmpty()) {
            return lookPast(item, sentNanos, answers);
        }
        // A reader that is there is in front of every writer, if it is in front of the first.
        Place place = item.place();
        boolean isPassed = seen.size() > 1 && !found.isEmpty() && found.get(0).getCreateRevision() < place.revision;
        List<KeyValue> itself = seen.get(seen.size() - 1).getResponseRange().getKvsList();
        boolean isHeld = !isPassed && !itself.isEmpty() && place.isAt(itself.get(0));
        answers[item.index()] = isHeld ? renewed(item, sentNanos) : gone(item);
        return CompletableFuture.completedFuture(null);
    }

    /** Somebody else has put a key in front that is no claim. */
    private CompletableFuture<Void> lookPast(Item item, long sentNanos, Renewal[] answers) {
        Place place = item.place();
        return client.ask(KVGrpc.getTxnMethod(), Requests.look(place)).handle((seen, failure) -> {
            answers[item.index()] = failure != null
                    ? new Renewal.Unknown(Errors.explain(failure))
                    : waitsForNobody(place, seen) ? renewed(item, sentNanos) : gone(item);
            return null;
        });
    }

    private boolean waitsForNobody(Place place, TxnResponse seen) {
        List<KeyValue> line = seen.getResponses(0).getResponseRange().getKvsList().stream()
                .filter(each -> keys.parse(each.getKey()).isPresent())
                .toList();
        return !line.isEmpty() && place.isAt(line.get(line.size() - 1)) && place.inTheWay(line) == null;
    }

    private Renewal renewed(Item item, long sentNanos) {
        ServerLease on = item.place().lease;
        if (on == null || on.over) {
            return GONE;
        }
        Duration lease = item.holding().lease();
        long byServers = on.provenUntilNanos();
        long byLease = Validity.until(sentNanos, lease);
        return places.lengthen(item.place(), environment.nanoTime() + lease.toNanos())
                ? new Renewal.Renewed(byServers - byLease < 0 ? byServers : byLease)
                : GONE;
    }

    /** A claim that is not the first any more holds nothing. It must not stay in the queue either: nobody waits for it. */
    private Renewal gone(Item item) {
        Place place = item.place();
        ServerLease lease = place.lease;
        if (places.remove(place) && lease != null) {
            var unused = removals.removeForSure(place.key, place.revision, lease);
        }
        return GONE;
    }
}
