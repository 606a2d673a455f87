package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.etcd.rpc.PutRequest;
import dev.holdfast.etcd.rpc.RangeResponse;
import dev.holdfast.etcd.rpc.ResponseHeader;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.etcd.rpc.TxnResponse;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.ReleasedButClaimFailedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Who of this process stands where. A claim is a key behind those that were created before it; whoever is first holds the lock;
 * everybody watches the one in front and nobody else. A reader is in nobody's way but a writer's. Who waits for a slot makes one of
 * its claim, as soon as {@link Slots} has one for it.
 *
 * <p>The map's step for an owner decides who may act for it; nothing is sent inside one.
 */
final class ClaimQueue implements ServerLeases.User {
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
    /** A lease may have ended at the servers just as a claim was made with it. */
    private static final int MOST_TRIES = 3;

    private static final String GONE = "the place in the queue is gone: broken, or its etcd lease is over";
    private static final String STILL_LEAVING = "the place that was left before is not confirmed to be gone";

    private final Client client;
    private final Transactions transactions;
    private final Keys keys;
    private final Places places;
    private final Removals removals;
    private final LeaseEnds ends;
    private final Environment environment;
    private final Events events;
    private final ServerLeases leases;
    private final Watches watches;

    ClaimQueue(
            Client client,
            Transactions transactions,
            Keys keys,
            Places places,
            Removals removals,
            Environment environment,
            Events events) {
        this.client = client;
        this.transactions = transactions;
        this.keys = keys;
        this.places = places;
        this.removals = removals;
        this.ends = new LeaseEnds(environment, places, removals);
        this.environment = environment;
        this.events = events;
        this.leases = new ServerLeases(client, new KeepAlives(client, environment), keys, environment, events, this);
        this.watches = new Watches(client, environment, leases::contactLost);
    }

    ServerLeases leases() {
        return leases;
    }

    Watches watches() {
        return watches;
    }

    // ---- asking

    CompletableFuture<Answer> acquire(Claim claim) {
        return places.ask(claim, place -> {
            CompletableFuture<Answer> answer = place.revision == 0 ? enter(place, MOST_TRIES) : lookAgain(place);
            return place.claim.queue() ? answer : answer.thenCompose(said -> leaveUnlessGranted(place, said));
        });
    }

    /** Some have to stand in the line to find out. */
    private CompletableFuture<Answer> leaveUnlessGranted(Place place, Answer said) {
        return said instanceof Answer.Busy busy && busy.queued()
                ? leave(place).thenApply(left -> new Answer.Busy(busy.retryAfter(), false, busy.heldBy()))
                : CompletableFuture.completedFuture(said);
    }

    private CompletableFuture<Answer> enter(Place place, int triesLeft) {
        return leases.obtain(place.claim.lease()).thenCompose(lease -> {
            place.lease = lease;
            return place.claim.queue() ? queueUp(place, lease, triesLeft) : tryOnce(place, lease, triesLeft);
        });
    }

    private CompletableFuture<Answer> queueUp(Place place, ServerLease lease, int triesLeft) {
        long sent = environment.nanoTime();
        return claim(place, Requests.enter(place, lease), lease).thenCompose(done -> {
            if (done.getSucceeded()) {
                place.enteredFirst(done.getHeader().getRevision());
                return grant(place, lease, sent);
            }
            TxnResponse joined = done.getResponses(0).getResponseTxn();
            return joined.getSucceeded()
                    ? entered(place, lease, done.getHeader(), joined, 1, sent)
                    : notEntered(place, lease, joined, triesLeft);
        });
    }

    /** Leaves no key behind if the lock is taken. */
    private CompletableFuture<Answer> tryOnce(Place place, ServerLease lease, int triesLeft) {
        long sent = environment.nanoTime();
        return claim(place, Requests.enterIfFree(place, lease), lease).thenCompose(done -> {
            if (done.getSucceeded()) {
                place.enteredFirst(done.getHeader().getRevision());
                return grant(place, lease, sent);
            }
            if (place.isForSlot()) {
                return isThereNone(place, done)
                        ? CompletableFuture.completedFuture(busy(place, false, slots(done, 2)))
                        : notEntered(place, lease, done, triesLeft);
            }
            List<KeyValue> first = range(done, 2).getKvsList();
            boolean taken = !first.isEmpty()
                    && !first.get(0).getKey().equals(place.key)
                    && keys.parse(first.get(0).getKey()).isPresent();
            return taken && range(done, 0).getKvsCount() == 0
                    ? CompletableFuture.completedFuture(busy(place, false, lastRange(done)))
                    : notEntered(place, lease, done, triesLeft);
        });
    }

    private boolean isThereNone(Place place, TxnResponse done) {
        Slots seen = slots(done, 2);
        return range(done, 0).getKvsCount() == 0
                && seen.of(place.claim.owner()) == null
                && seen.freeFor(place.claim.slots(), Long.MAX_VALUE).isEmpty();
    }

    /** Sends a transaction that creates a claim. If nobody knows what became of it, it can be made to come to nothing. */
    private CompletableFuture<TxnResponse> claim(Place place, TxnRequest request, ServerLease lease) {
        return transactions.ask(place.queue, request).whenComplete((done, failure) -> {
            if (failure != null && isUnknown(failure)) {
                leases.uncertain(lease);
            }
        });
    }

    private static boolean isUnknown(Throwable failure) {
        Throwable known = Errors.explain(failure);
        return !(known instanceof NotSentException) && !(known instanceof RefusedException);
    }

    /** @param at which of the responses has the last two in its way; the one behind it has the first of all */
    private CompletableFuture<Answer> entered(
            Place place, ServerLease lease, ResponseHeader header, TxnResponse done, int at, long sentNanos) {
        place.revision = header.getRevision();
        if (place.isForSlot()) {
            return choose(place, lease, header, slots(done, at), sentNanos);
        }
        Optional<ByteString> front = range(done, at).getKvsList().stream()
                .map(KeyValue::getKey)
                .filter(key -> !key.equals(place.key))
                .findFirst();
        if (front.isEmpty()) {
            return grant(place, lease, sentNanos);
        }
        if (keys.parse(front.get()).isEmpty()) {
            return look(place, lease);
        }
        watch(place, Keys.Range.of(front.get()), header);
        return CompletableFuture.completedFuture(busy(place, true, range(done, at + 1)));
    }

    /** The claim was there already, or its lease is not there any more, or what is in the way is not a claim. */
    private CompletableFuture<Answer> notEntered(Place place, ServerLease lease, TxnResponse done, int triesLeft) {
        List<KeyValue> own = range(done, 0).getKvsList();
        if (!own.isEmpty()) {
            long revision = own.get(0).getCreateRevision();
            if (removals.isLeaving(place.key, revision)) {
                return CompletableFuture.failedFuture(new NotSentException(STILL_LEAVING, null));
            }
            // Sent before, and its answer was lost.
            place.revision = revision;
            return lookAgain(place);
        }
        if (triesLeft <= 1) {
            return CompletableFuture.failedFuture(new NotSentException("the claim was not carried out", null));
        }
        if (range(done, 1).getKvsCount() == 0) {
            // Without its guard no claim can come of it any more.
            leases.retire(lease);
            return enter(place, triesLeft - 1);
        }
        // Keys of others below this name hold nothing, but only a look at all of them tells. And slots go by the line.
        return queueUp(place, lease, triesLeft - 1);
    }

    private CompletableFuture<Boolean> leave(Place place) {
        long revision = place.revision;
        ByteString key = place.key;
        ServerLease lease = place.lease;
        boolean mayHaveSlot = place.mayHaveSlot;
        place.forgetKey();
        if (revision == 0 || lease == null) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> removed = removals.removeForSure(key, revision, lease);
        return mayHaveSlot
                ? removed.thenCompose(done -> giveBack(place.claim.key(), place.claim.owner()))
                        .thenApply(done -> true)
                : removed;
    }

    /** Nothing is granted, and the place is left; but not one that was granted before. */
    private CompletableFuture<Answer> giveUp(Place place, String why) {
        // Core may hold it since. Its renewal, its release or the end of its lease decide what becomes of the key.
        CompletableFuture<Boolean> left = place.granted ? CompletableFuture.completedFuture(false) : leave(place);
        return left.handle((removed, failure) -> removed)
                .thenCompose(removed -> CompletableFuture.failedFuture(new NotSentException(why, null)));
    }

    /** Core asks for the same claim again, or another member has to tell where it stands. */
    private CompletableFuture<Answer> lookAgain(Place place) {
        ServerLease lease = place.lease;
        if (lease == null || lease.over) {
            place.forgetKey();
            return enter(place, MOST_TRIES);
        }
        // Whatever fails here was a look at what is there; the place is kept.
        return Futures.mapFailure(look(place, lease), Errors::harmless);
    }

    private CompletableFuture<Answer> look(Place place, ServerLease lease) {
        long sent = environment.nanoTime();
        return client.ask(KVGrpc.getTxnMethod(), Requests.look(place)).thenCompose(seen -> {
            if (place.isForSlot()) {
                return choose(place, lease, seen.getHeader(), slots(seen, 0), sent);
            }
            List<KeyValue> queue = claims(range(seen, 0));
            int at = queue.size() - 1;
            KeyValue front = place.inTheWay(queue);
            // Nobody comes in front of one that was granted, unless the servers' data were put back.
            if (at < 0 || !place.isAt(queue.get(at)) || (front != null && place.granted)) {
                return giveUp(place, GONE);
            }
            if (front == null) {
                return grant(place, lease, sent);
            }
            watch(place, Keys.Range.of(front.getKey()), seen.getHeader());
            return CompletableFuture.completedFuture(busy(place, true, range(seen, 1)));
        });
    }

    private void watch(Place place, Keys.Range front, ResponseHeader seen) {
        place.watch(watches.watch(front, seen.getRevision() + 1, () -> onFrontGone(place)));
        if (!places.has(place)) {
            place.watch(null);
        }
    }

    /** The one in front is gone, or something has happened to the watch: a reason to look, and no more. */
    private void onFrontGone(Place place) {
        // A failure changes nothing: as soon as there is contact again, core asks for every claim.
        places.askAgain(place, this::lookAgain, answer -> {
            if (answer instanceof Answer.Granted granted && places.has(place)) {
                events.granted(place.claim.key(), place.claim.owner(), granted.grant());
            }
        });
    }

    // ---- slots

    private Slots slots(TxnResponse done, int at) {
        return new Slots(keys, range(done, at), range(done, at + 1));
    }

    /** The slot that it has, the one that it can have, or none. */
    private CompletableFuture<Answer> choose(
            Place place, ServerLease lease, ResponseHeader header, Slots seen, long sentNanos) {
        KeyValue own = seen.of(place.claim.owner());
        if (own != null) {
            return keep(place, lease, own, sentNanos);
        }
        if (place.granted || !seen.isWaiting(place)) {
            return giveUp(place, GONE);
        }
        Optional<Integer> free = seen.freeFor(place.claim.slots(), place.revision);
        if (free.isPresent()) {
            return take(place, lease, free.get());
        }
        watch(place, seen.inTheWay(place), header);
        return CompletableFuture.completedFuture(busy(place, true, seen));
    }

    /** Taken before, and the answer was lost, or core asks again. */
    private CompletableFuture<Answer> keep(Place place, ServerLease lease, KeyValue own, long sentNanos) {
        if (removals.isLeaving(own.getKey(), own.getCreateRevision())) {
            return CompletableFuture.failedFuture(new NotSentException(STILL_LEAVING, null));
        }
        if (!place.granted) {
            if (!own.getKey().equals(place.key)) {
                // As a rule it became the slot. A claim that was sent again stands beside it.
                var unused = removals.removeForSure(place.key, place.revision, lease);
            }
            place.hasSlot(own.getKey(), keys.parse(own.getKey()).orElseThrow().slot(), own.getCreateRevision());
        }
        return place.isAt(own) ? grant(place, lease, sentNanos) : giveUp(place, GONE);
    }

    /** Others may be faster, with a slot that was given back meanwhile: then this one looks again, at what they have left. */
    private CompletableFuture<Answer> take(Place place, ServerLease lease, int slot) {
        ByteString key = keys.slot(place.claim.key(), slot);
        long sent = environment.nanoTime();
        return transactions
                .ask(place.queue, Requests.take(place, key, lease))
                .whenComplete((done, failure) -> place.mayHaveSlot |= failure != null && isUnknown(failure))
                .thenCompose(done -> {
                    if (!done.getSucceeded()) {
                        return choose(place, lease, done.getHeader(), slots(done, 0), sent);
                    }
                    place.hasSlot(key, slot, done.getHeader().getRevision());
                    return grant(place, lease, sent);
                });
    }

    // ---- answers

    /** First in the queue: that is the lock, for as long as the lease is proven to last. */
    private CompletableFuture<Answer> grant(Place place, ServerLease lease, long sentNanos) {
        var grant = place.grant(lease, sentNanos);
        long now = environment.nanoTime();
        if (lease.over
                || grant.validUntilNanos() - now <= 0
                || !places.lengthen(place, now + place.claim.lease().toNanos())) {
            return giveUp(place, "the answer of etcd came after the end of the lease");
        }
        place.watch(null);
        ends.watch(place);
        return CompletableFuture.completedFuture(new Answer.Granted(grant));
    }

    private Answer busy(Place place, boolean queued, RangeResponse first) {
        return new Answer.Busy(retry(place), queued, holder(first.getKvsList()));
    }

    private static Answer busy(Place place, boolean queued, Slots seen) {
        Duration retry = retry(place);
        Duration shortest = seen.shortestLease().orElse(retry);
        return new Answer.Busy(shortest.compareTo(retry) < 0 ? shortest : retry, queued, seen.holder());
    }

    private static Duration retry(Place place) {
        Duration half = place.claim.lease().dividedBy(2);
        return half.compareTo(LONGEST_RETRY) < 0 ? half : LONGEST_RETRY;
    }

    private @Nullable Holder holder(List<KeyValue> first) {
        return first.isEmpty() || keys.parse(first.get(0).getKey()).isEmpty()
                ? null
                : ClaimData.parse(first.get(0).getValue()).holder();
    }

    private List<KeyValue> claims(RangeResponse queue) {
        return queue.getKvsList().stream()
                .filter(each -> keys.parse(each.getKey()).isPresent())
                .toList();
    }

    private static RangeResponse range(TxnResponse done, int at) {
        return done.getResponses(at).getResponseRange();
    }

    private static RangeResponse lastRange(TxnResponse done) {
        return range(done, done.getResponsesCount() - 1);
    }

    // ---- leaving

    CompletableFuture<Boolean> release(Holding holding) {
        Place place = places.get(holding.owner());
        if (place == null) {
            return removals.remove(keys.held(holding), ClaimData.revisionOf(holding.lastToken()));
        }
        ServerLease lease = place.lease;
        if (lease == null || !place.isHeld(holding) || !places.remove(place)) {
            return CompletableFuture.completedFuture(false);
        }
        return removals.removeForSure(place.key, place.revision, lease);
    }

    /** One transaction for both, where the claim may wait: otherwise one after the other. */
    CompletableFuture<Answer> releaseAndAcquire(Holding holding, Claim next) {
        Place held = places.get(holding.owner());
        ServerLease old = held == null ? null : held.lease;
        if (held == null || old == null || !next.queue() || !held.isHeld(holding) || !places.remove(held)) {
            return release(holding).thenCompose(released -> afterRelease(acquire(next)));
        }
        return places.ask(next, place -> replace(place, held, old));
    }

    private CompletableFuture<Answer> replace(Place place, Place held, ServerLease old) {
        CompletableFuture<ServerLease> obtained = leases.obtain(place.claim.lease());
        return obtained.handle((lease, failure) -> lease).thenCompose(lease -> {
            if (lease == null) {
                return removals.removeForSure(held.key, held.revision, old)
                        .thenCompose(removed -> afterRelease(enter(place, MOST_TRIES)));
            }
            place.lease = lease;
            long sent = environment.nanoTime();
            var request = Requests.replace(held.key, held.revision, place, lease);
            return claim(place, request, lease)
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            var unused = removals.removeForSure(held.key, held.revision, old);
                        }
                    })
                    .thenCompose(done -> done.getSucceeded()
                            ? afterRelease(entered(place, lease, done.getHeader(), done, 2, sent))
                            // What was held is gone, or the lease for the claim is: one after the other.
                            : removals.removeForSure(held.key, held.revision, old)
                                    .thenCompose(removed -> afterRelease(enter(place, MOST_TRIES))));
        });
    }

    /** The release is proven, whatever becomes of the claim. */
    private static CompletableFuture<Answer> afterRelease(CompletableFuture<Answer> claimed) {
        return Futures.mapFailure(claimed, failure -> new ReleasedButClaimFailedException(Errors.explain(failure)));
    }

    /** Hangs the key on a lease of its own, which nobody keeps alive. */
    CompletableFuture<Boolean> releaseLater(Holding holding, Duration keep) {
        Place place = places.get(holding.owner());
        // Kept here for as long, whenever its own lease ends, until the servers have taken it over.
        if (place != null
                && (!place.isHeld(holding) || !places.lengthen(place, environment.nanoTime() + keep.toNanos()))) {
            return CompletableFuture.completedFuture(false);
        }
        // Rounded up: the servers count whole seconds.
        return leases.grantAlone(Math.max(1, keep.plusNanos(999_999_999L).toSeconds()))
                .thenCompose(granted -> {
                    PutRequest.Builder put =
                            PutRequest.newBuilder().setKey(keys.held(holding)).setLease(granted.getID());
                    if (place == null) {
                        put.setIgnoreValue(true);
                    } else {
                        put.setValue(place.value(keep));
                    }
                    long revision = ClaimData.revisionOf(holding.lastToken());
                    return client.ask(KVGrpc.getTxnMethod(), Requests.move(put.getKey(), revision, put.build()))
                            .thenApply(done -> {
                                if (place != null) {
                                    places.remove(place);
                                }
                                if (!done.getSucceeded()) {
                                    var unused = leases.revoke(granted.getID());
                                }
                                return done.getSucceeded();
                            });
                });
    }

    CompletableFuture<Void> withdraw(String key, Owner owner) {
        CompletableFuture<Answer> earlier = places.asking(owner);
        if (earlier != null) {
            return earlier.handle((answer, failure) -> answer).thenCompose(answer -> withdraw(key, owner));
        }
        Place place = places.get(owner);
        ServerLease lease = place == null ? null : place.lease;
        if (place != null && lease != null && place.revision != 0 && places.remove(place) && !place.mayHaveSlot) {
            return removals.removeForSure(place.key, place.revision, lease).thenAccept(removed -> {});
        }
        // Also if somebody else leaves it just now: that may not have reached the servers.
        return switch (LockKey.kindOf(key)) {
            case LOCK -> withdrawUnknown(List.of(keys.claim(key, owner)));
            case READ_WRITE_LOCK -> withdrawUnknown(List.of(keys.claim(key, owner), keys.reader(key, owner)));
            // Without the claim nobody can take a slot for it any more.
            case SEMAPHORE ->
                withdrawUnknown(List.of(keys.claim(key, owner))).thenCompose(done -> giveBack(key, owner));
        };
    }

    /** The keys go with the last guards: what was sent before cannot create them again. */
    private CompletableFuture<Void> withdrawUnknown(List<ByteString> claims) {
        List<ServerLease> unfenced = leases.unfenced(Requests.MOST_STEPS);
        return client.ask(KVGrpc.getTxnMethod(), Requests.withdraw(claims, unfenced))
                .thenCompose(done -> {
                    leases.fenced(unfenced);
                    return unfenced.size() < Requests.MOST_STEPS
                            ? CompletableFuture.completedFuture(null)
                            : withdrawUnknown(claims);
                });
    }

    /** The slot that this owner may have. */
    private CompletableFuture<Void> giveBack(String key, Owner owner) {
        return client.ask(
                        KVGrpc.getRangeMethod(), Requests.all(keys.shares(key)).build())
                .thenCompose(slots -> {
                    KeyValue own = new Slots(keys, RangeResponse.getDefaultInstance(), slots).of(owner);
                    return own == null
                            ? CompletableFuture.completedFuture(null)
                            : removals.remove(own.getKey(), own.getCreateRevision())
                                    .thenAccept(removed -> {});
                });
    }

    // ---- what hangs on a lease

    @Override
    public boolean uses(ServerLease lease) {
        return places.all().stream().anyMatch(place -> place.lease == lease);
    }

    @Override
    public void ended(ServerLease lease, String why) {
        places.all().forEach(place -> {
            if (place.lease != lease) {
                return;
            }
            // If it is being asked for, that question finds out by itself.
            if (places.asking(place.claim.owner()) == null) {
                places.remove(place);
            }
            if (place.revision != 0) {
                events.lost(place.claim.key(), place.claim.owner(), why);
            }
        });
    }
}
