package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Who of this process stands where. A claim is a key behind those that were created before it; whoever is first holds the lock;
 * everybody watches the one in front and nobody else.
 *
 * <p>The map's step for an owner decides who may act for it; nothing is sent inside one.
 */
final class ClaimQueue implements ServerLeases.User {
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
    /** A lease may have ended at the servers just as a claim was made with it. */
    private static final int MOST_TRIES = 3;

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
        return places.ask(claim, place -> place.revision == 0 ? enter(place, MOST_TRIES) : lookAgain(place));
    }

    private CompletableFuture<Answer> enter(Place place, int triesLeft) {
        return leases.obtain(place.claim.lease()).thenCompose(lease -> {
            place.lease = lease;
            return place.claim.queue() ? queueUp(place, lease, triesLeft) : tryOnce(place, lease, triesLeft);
        });
    }

    private CompletableFuture<Answer> queueUp(Place place, ServerLease lease, int triesLeft) {
        long sent = environment.nanoTime();
        return claim(place, Requests.enter(place.queue, place.key, value(place), lease), lease)
                .thenCompose(done -> {
                    if (done.getSucceeded()) {
                        place.revision = done.getHeader().getRevision();
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
        return claim(place, Requests.enterIfFree(place.queue, place.key, value(place), lease), lease)
                .thenCompose(done -> {
                    if (done.getSucceeded()) {
                        place.revision = done.getHeader().getRevision();
                        return grant(place, lease, sent);
                    }
                    List<KeyValue> first = range(done, 2).getKvsList();
                    boolean taken = !first.isEmpty()
                            && !first.get(0).getKey().equals(place.key)
                            && keys.parse(first.get(0).getKey()).isPresent();
                    return taken && range(done, 0).getKvsCount() == 0
                            ? CompletableFuture.completedFuture(busy(place, false, first))
                            : notEntered(place, lease, done, triesLeft);
                });
    }

    /** Sends a transaction that creates a claim. If nobody knows what became of it, it can be made to come to nothing. */
    private CompletableFuture<TxnResponse> claim(Place place, TxnRequest request, ServerLease lease) {
        return transactions.ask(place.queue, request).whenComplete((done, failure) -> {
            if (failure != null) {
                Throwable known = Errors.explain(failure);
                if (!(known instanceof NotSentException) && !(known instanceof RefusedException)) {
                    leases.uncertain(lease);
                }
            }
        });
    }

    /** @param at which of the responses has the last two in the queue; the one behind it has the first */
    private CompletableFuture<Answer> entered(
            Place place, ServerLease lease, ResponseHeader header, TxnResponse done, int at, long sentNanos) {
        place.revision = header.getRevision();
        List<KeyValue> last = range(done, at).getKvsList();
        if (last.size() == 1) {
            return grant(place, lease, sentNanos);
        }
        KeyValue front = last.get(1);
        if (keys.parse(front.getKey()).isEmpty()) {
            return look(place, lease);
        }
        watch(place, front, header);
        return CompletableFuture.completedFuture(
                busy(place, true, range(done, at + 1).getKvsList()));
    }

    /** The claim was there already, or its lease is not there any more, or what is in the way is not a claim. */
    private CompletableFuture<Answer> notEntered(Place place, ServerLease lease, TxnResponse done, int triesLeft) {
        List<KeyValue> own = range(done, 0).getKvsList();
        if (!own.isEmpty()) {
            long revision = own.get(0).getCreateRevision();
            if (removals.isLeaving(place.key, revision)) {
                return CompletableFuture.failedFuture(
                        new NotSentException("the place that was left before is not confirmed to be gone", null));
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
        // Keys of others below this name hold nothing, but only a look at all of them tells.
        return queueUp(place, lease, triesLeft - 1).thenCompose(answer -> {
            if (answer instanceof Answer.Granted) {
                return CompletableFuture.completedFuture(answer);
            }
            return leave(place).thenApply(left -> answer);
        });
    }

    private CompletableFuture<Boolean> leave(Place place) {
        long revision = place.revision;
        ServerLease lease = place.lease;
        place.forgetKey();
        return revision == 0 || lease == null
                ? CompletableFuture.completedFuture(false)
                : removals.removeForSure(place.key, revision, lease);
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
        return client.ask(KVGrpc.getTxnMethod(), Requests.look(place.queue, place.revision))
                .thenCompose(seen -> {
                    List<KeyValue> queue = claims(range(seen, 0));
                    int at = queue.size() - 1;
                    // Nobody comes in front of one that was granted, unless the servers' data were put back.
                    if (at < 0 || !place.isAt(queue.get(at)) || (at > 0 && place.granted)) {
                        return giveUp(place, "the place in the queue is gone: broken, or its etcd lease is over");
                    }
                    if (at == 0) {
                        return grant(place, lease, sent);
                    }
                    watch(place, queue.get(at - 1), seen.getHeader());
                    return CompletableFuture.completedFuture(
                            busy(place, true, range(seen, 1).getKvsList()));
                });
    }

    private void watch(Place place, KeyValue front, ResponseHeader seen) {
        place.watch(watches.watch(front.getKey(), seen.getRevision() + 1, () -> onFrontGone(place)));
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

    private Answer busy(Place place, boolean queued, List<KeyValue> first) {
        Duration half = place.claim.lease().dividedBy(2);
        Duration retry = half.compareTo(LONGEST_RETRY) < 0 ? half : LONGEST_RETRY;
        return new Answer.Busy(retry, queued, holder(first));
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

    private static ByteString value(Place place) {
        return ClaimData.encode(place.claim, place.claim.lease(), place.claimedMicros);
    }

    private static RangeResponse range(TxnResponse done, int at) {
        return done.getResponses(at).getResponseRange();
    }

    // ---- leaving

    CompletableFuture<Boolean> release(Holding holding) {
        Place place = places.get(holding.owner());
        if (place == null) {
            return removals.remove(
                    keys.claim(holding.key(), holding.owner()), ClaimData.revisionOf(holding.lastToken()));
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
            var request = Requests.replace(held.key, held.revision, place.queue, place.key, value(place), lease);
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
                    PutRequest.Builder put = PutRequest.newBuilder()
                            .setKey(keys.claim(holding.key(), holding.owner()))
                            .setLease(granted.getID());
                    if (place == null) {
                        put.setIgnoreValue(true);
                    } else {
                        put.setValue(ClaimData.encode(place.claim, keep, place.claimedMicros));
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

    CompletableFuture<Void> withdraw(String name, Owner owner) {
        CompletableFuture<Answer> earlier = places.asking(owner);
        if (earlier != null) {
            return earlier.handle((answer, failure) -> answer).thenCompose(answer -> withdraw(name, owner));
        }
        Place place = places.get(owner);
        ServerLease lease = place == null ? null : place.lease;
        if (place != null && lease != null && place.revision != 0 && places.remove(place)) {
            return removals.removeForSure(place.key, place.revision, lease).thenAccept(removed -> {});
        }
        // Also if somebody else leaves it just now: that may not have reached the servers.
        return withdrawUnknown(keys.claim(name, owner));
    }

    /** The key goes with the last guards: what was sent before cannot create it again. */
    private CompletableFuture<Void> withdrawUnknown(ByteString key) {
        List<ServerLease> unfenced = leases.unfenced(Requests.MOST_STEPS);
        return client.ask(KVGrpc.getTxnMethod(), Requests.withdraw(key, unfenced))
                .thenCompose(done -> {
                    leases.fenced(unfenced);
                    return unfenced.size() < Requests.MOST_STEPS
                            ? CompletableFuture.completedFuture(null)
                            : withdrawUnknown(key);
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
