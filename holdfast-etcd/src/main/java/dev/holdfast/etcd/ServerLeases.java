package dev.holdfast.etcd;

import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.LeaseGrantRequest;
import dev.holdfast.etcd.rpc.LeaseGrantResponse;
import dev.holdfast.etcd.rpc.LeaseGrpc;
import dev.holdfast.etcd.rpc.LeaseKeepAliveResponse;
import dev.holdfast.etcd.rpc.LeaseRevokeRequest;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Validity;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The leases that the servers keep for this process: one for each duration in whole seconds, whatever the number of locks. While
 * a claim hangs on one, it is kept alive.
 *
 * <p>An answer to a keep-alive alone proves little: a leader that was replaced goes on answering until it notices. So a read
 * follows that a quorum confirms. If both name the same term, no leader of a later term was there when the sign was given, and
 * whoever leads counts from then, or from the beginning of its own time, which is later. {@code docs/etcd.md} has the long form.
 */
final class ServerLeases {
    /** Who uses them. */
    interface User {
        boolean uses(ServerLease lease);

        /** Everything that hung on it is gone, or about to be. */
        void ended(ServerLease lease, String why);
    }

    private static final Duration SOON = Duration.ofMillis(50);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(200);

    private final Client client;
    private final KeepAlives keepAlives;
    private final Keys keys;
    private final Environment environment;
    private final Events events;
    private final User user;
    /** The one for new claims, by its seconds: there, or being made. */
    private final Map<Long, CompletableFuture<ServerLease>> current = new ConcurrentHashMap<>();

    private final Set<ServerLease> alive = ConcurrentHashMap.newKeySet();
    /** A claim under one of these may still arrive: their guards are to be removed. */
    private final Set<ServerLease> unfenced = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean broken = new AtomicBoolean();
    private volatile long mark;
    private volatile boolean closed;

    ServerLeases(Client client, KeepAlives keepAlives, Keys keys, Environment environment, Events events, User user) {
        this.client = client;
        this.keepAlives = keepAlives;
        this.keys = keys;
        this.environment = environment;
        this.events = events;
        this.user = user;
    }

    /** From the newest id that the servers gave out, which they do at random; zero before the first. */
    long mark() {
        return mark;
    }

    /** One for a claim with such a lease. A failure proves that nothing was claimed. */
    CompletableFuture<ServerLease> obtain(Duration lease) {
        long seconds = ServerLease.secondsFor(lease);
        CompletableFuture<ServerLease> known = current.get(seconds);
        if (known != null && !known.isDone()) {
            return known;
        }
        if (known != null && !known.isCompletedExceptionally()) {
            ServerLease there = known.join();
            long now = environment.nanoTime();
            if (there.covers(lease, now)) {
                there.usedNanos = now;
                return known;
            }
        }
        CompletableFuture<ServerLease> mine = new CompletableFuture<>();
        boolean first =
                known == null ? current.putIfAbsent(seconds, mine) == null : current.replace(seconds, known, mine);
        if (!first) {
            return obtain(lease);
        }
        var unused = Futures.safely(() -> grant(seconds)).whenComplete((granted, failure) -> {
            if (failure == null) {
                mine.complete(granted);
            } else {
                current.remove(seconds, mine);
                mine.completeExceptionally(Errors.harmless(failure));
            }
        });
        return mine;
    }

    private CompletableFuture<ServerLease> grant(long seconds) {
        // Before the send: the servers begin to count later than this.
        long sent = environment.nanoTime();
        return grantAlone(seconds).thenCompose(granted -> {
            var guard = keys.guard(granted.getID());
            return client.ask(KVGrpc.getTxnMethod(), Requests.createGuard(guard, granted.getID()))
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            var unused = revoke(granted.getID());
                        }
                    })
                    .thenApply(done -> {
                        ServerLease lease = new ServerLease(
                                granted.getID(),
                                seconds,
                                guard,
                                done.getHeader().getRevision(),
                                Validity.until(sent, Duration.ofSeconds(Math.min(seconds, granted.getTTL()))),
                                environment.nanoTime());
                        mark = granted.getID() * 0x9E3779B97F4A7C15L;
                        alive.add(lease);
                        schedule(lease, lease.beat());
                        return lease;
                    });
        });
    }

    /** A lease that nobody keeps alive. */
    CompletableFuture<LeaseGrantResponse> grantAlone(long seconds) {
        return client.ask(
                        LeaseGrpc.getLeaseGrantMethod(),
                        LeaseGrantRequest.newBuilder().setTTL(seconds).build())
                .thenApply(granted -> {
                    if (!granted.getError().isEmpty()) {
                        throw new NotSentException("etcd granted no lease: " + granted.getError(), null);
                    }
                    return granted;
                });
    }

    /** Ends it at the servers, with everything that hangs on it. False: they did not hear it, and it ends by itself. */
    CompletableFuture<Boolean> revoke(long id) {
        return client.ask(
                        LeaseGrpc.getLeaseRevokeMethod(),
                        LeaseRevokeRequest.newBuilder().setID(id).build())
                .handle((done, failure) -> failure == null || Errors.is(failure, Status.Code.NOT_FOUND));
    }

    // ---- keeping them alive

    private void schedule(ServerLease lease, Duration delay) {
        Object token = new Object();
        lease.nextBeat.set(token);
        environment.schedule(delay.toNanos(), () -> {
            if (lease.nextBeat.compareAndSet(token, null)) {
                beat(lease);
            }
        });
    }

    private void beat(ServerLease lease) {
        if (lease.over || closed) {
            return;
        }
        long sent = environment.nanoTime();
        if (!user.uses(lease) && sent - lease.usedNanos > lease.duration().toNanos()) {
            drop(lease);
            return;
        }
        Members.Member member = client.members.current();
        Duration limit = lease.beat();
        var unused = keepAlives
                .ask(lease.id, limit)
                .thenCompose(said -> proof(lease, said, limit))
                .whenComplete((proven, failure) -> {
                    if (failure != null) {
                        broken.set(true);
                        client.members.moveOn(member, "it does not answer in time");
                    }
                    concluded(lease, failure == null ? proven : null, sent);
                });
    }

    /** Whether the sign counts. Empty: the servers have ended the lease. */
    private CompletableFuture<Boolean> proof(ServerLease lease, LeaseKeepAliveResponse said, Duration limit) {
        if (said.getTTL() <= 0) {
            over(lease, "etcd has ended its lease: it was revoked, or it has expired");
            return CompletableFuture.completedFuture(false);
        }
        return client.ask(KVGrpc.getRangeMethod(), Requests.exists(lease.guard), limit)
                .thenApply(read ->
                        read.getHeader().getRaftTerm() == said.getHeader().getRaftTerm());
    }

    /** @param proven null if there was no answer */
    private void concluded(ServerLease lease, @Nullable Boolean proven, long sentNanos) {
        if (lease.over) {
            return;
        }
        if (lease.hasLapsed(environment)) {
            // Also if a late answer would make it longer: what has lapsed here may have been lost elsewhere.
            over(lease, "etcd has not confirmed its lease in time");
            return;
        }
        if (proven == null) {
            schedule(lease, shorter(AFTER_FAILURE, lease.beat()));
            return;
        }
        if (!proven) {
            schedule(lease, SOON);
            return;
        }
        lease.prove(Validity.until(sentNanos, lease.duration()));
        Duration spent = Duration.ofNanos(environment.nanoTime() - sentNanos);
        schedule(lease, spent.compareTo(lease.beat()) < 0 ? lease.beat().minus(spent) : SOON);
        if (broken.getAndSet(false)) {
            events.recheckAll("contact with etcd was interrupted");
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The stream of watches has ended: as soon as a member answers again, everybody looks. New claims begin anew. */
    void contactLost() {
        broken.set(true);
        alive.forEach(lease -> {
            // A copy of this process has the same leases, and is told from us by the next one that it is granted.
            retire(lease);
            if (lease.nextBeat.get() != null) {
                schedule(lease, SOON);
            }
        });
    }

    /** No new claims with it. */
    void retire(ServerLease lease) {
        lease.retired = true;
    }

    /** It is lost, at the servers or here. */
    private void over(ServerLease lease, String why) {
        if (drop(lease)) {
            user.ended(lease, why);
        }
    }

    /** False: somebody else has done it. */
    private boolean drop(ServerLease lease) {
        lease.over = true;
        current.computeIfPresent(
                lease.seconds,
                (seconds, each) ->
                        each.isDone() && !each.isCompletedExceptionally() && each.join() == lease ? null : each);
        boolean first = alive.remove(lease);
        if (first) {
            // Also if the servers have ended it: only their answer to this proves that its guard is gone.
            var unused = revoke(lease.id).thenAccept(gone -> {
                if (gone) {
                    unfenced.remove(lease);
                }
            });
        }
        return first;
    }

    // ---- claims that nobody knows of

    /** A claim was sent with it, and nobody knows what became of it. */
    void uncertain(ServerLease lease) {
        retire(lease);
        unfenced.add(lease);
    }

    List<ServerLease> unfenced(int most) {
        return unfenced.stream().limit(most).toList();
    }

    void fenced(List<ServerLease> leases) {
        leases.forEach(unfenced::remove);
    }

    // ---- the end

    void endStream() {
        keepAlives.end("closed");
    }

    /** No beats any more: what hangs on them ends with them. */
    List<ServerLease> close() {
        closed = true;
        List<ServerLease> left = List.copyOf(alive);
        left.forEach(lease -> lease.over = true);
        return left;
    }
}
