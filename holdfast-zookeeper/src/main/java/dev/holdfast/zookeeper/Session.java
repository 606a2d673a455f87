package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One session with the servers, and the requests that go through it. Every answer is also a sign of life, and is noted as
 * one. Requests are sent once: nothing here retries. Answers come on the thread of the session, in the order of the
 * requests.
 */
final class Session {
    /** @param text what is in it; empty where only the existence was asked for */
    record Found(String text, Stat stat) {}

    record Listed(List<String> children, Stat stat) {}

    final ZooKeeper handle;
    final long id;
    final Duration timeout;
    final SessionProof proof;
    private final Environment environment;
    private final Set<Request<?>> pending = ConcurrentHashMap.newKeySet();
    /** The servers have ended it, or we have left it: its nodes are gone, or go when it times out. */
    private volatile boolean over;

    /** The servers know no identity of this session. Written on the thread of the session. */
    private volatile boolean anonymous;

    /** Null over a framework of the program: that one cannot be made to leave its session. */
    volatile @Nullable SessionGuard guard;

    private final AtomicBoolean beating = new AtomicBoolean();

    Session(ZooKeeper handle, Timing timing, Environment environment) {
        this.handle = handle;
        this.id = handle.getSessionId();
        this.timeout = Duration.ofMillis(handle.getSessionTimeout());
        this.environment = environment;
        this.proof = new SessionProof(timing, timeout, environment.nanoTime());
    }

    /** True for the first caller only. */
    boolean beginsToBeat() {
        return beating.compareAndSet(false, true);
    }

    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** Something of ours stands in it now. */
    void guardFromNowOn() {
        SessionGuard guarding = guard;
        if (guarding != null) {
            guarding.begin();
        }
    }

    boolean isAnonymous() {
        return anonymous;
    }

    void noteAnonymous() {
        anonymous = true;
    }

    /** For the end of the backend: no answer is waited for any longer. */
    void failPending(Throwable why) {
        pending.forEach(each -> each.fail(why));
    }

    CompletableFuture<List<OpResult>> multi(List<Op> ops) {
        return ask(
                true,
                request ->
                        handle.multi(ops, (rc, path, context, results) -> request.answered(rc, path, results), null));
    }

    /**
     * Several reads in one request, which servers know from 3.6 on. Each has its own result, and one that fails does not
     * affect the others.
     */
    CompletableFuture<List<OpResult>> readAll(List<Op> reads) {
        return ask(
                false,
                request -> handle.multi(
                        reads,
                        // The library reports the first failed read as the failure of all.
                        (rc, path, context, results) -> request.answered(results == null ? rc : 0, path, results),
                        null));
    }

    /** Its children, and what the node itself is like; empty if it is not there. */
    CompletableFuture<Optional<Listed>> list(String path) {
        return list(path, null);
    }

    /** The same with a watch, unless it is not there. */
    CompletableFuture<Optional<Listed>> list(String path, @Nullable Watcher watcher) {
        return ask(
                false,
                request -> handle.getChildren(
                        path,
                        watcher,
                        (rc, at, context, children, stat) ->
                                request.maybe(rc, at, rc == 0 ? new Listed(children, stat) : null),
                        null));
    }

    CompletableFuture<List<String>> children(String path) {
        return ask(
                false,
                request -> handle.getChildren(
                        path, false, (rc, at, context, children) -> request.answered(rc, at, children), null));
    }

    /** With its data; empty if it is not there. Then no watch is left behind either. */
    CompletableFuture<Optional<Found>> read(String path, @Nullable Watcher watcher) {
        return ask(
                false,
                request -> handle.getData(
                        path,
                        watcher,
                        (rc, at, context, data, stat) -> request.maybe(
                                rc, at, rc == 0 ? new Found(new String(data, StandardCharsets.UTF_8), stat) : null),
                        null));
    }

    CompletableFuture<Optional<Found>> exists(String path) {
        return ask(
                false,
                request -> handle.exists(
                        path,
                        false,
                        (rc, at, context, stat) -> request.maybe(rc, at, rc == 0 ? new Found("", stat) : null),
                        null));
    }

    /** Who may do what with it; empty if it is not there. */
    CompletableFuture<Optional<List<ACL>>> acl(String path) {
        return ask(
                false,
                request -> handle.getACL(
                        path, null, (rc, at, context, acl, stat) -> request.maybe(rc, at, rc == 0 ? acl : null), null));
    }

    /** False: it was not there. */
    CompletableFuture<Boolean> delete(String path) {
        return ask(
                true,
                request -> handle.delete(
                        path, -1, (rc, at, context) -> request.answered(rc, Code.NONODE, at, rc == 0), null));
    }

    /** Writes to it, if it has that version. */
    CompletableFuture<Stat> write(String path, String text, int version) {
        return ask(
                true,
                request -> handle.setData(
                        path,
                        text.getBytes(StandardCharsets.UTF_8),
                        version,
                        (rc, at, context, stat) -> request.answered(rc, at, stat),
                        null));
    }

    /** False: it was there already. */
    CompletableFuture<Boolean> create(String path, List<ACL> acl, CreateMode mode) {
        return ask(
                true,
                request -> handle.create(
                        path,
                        new byte[0],
                        acl,
                        mode,
                        (rc, at, context, name) -> request.answered(rc, Code.NODEEXISTS, at, rc == 0),
                        null));
    }

    /**
     * What is read so is no older than the question: a write that changes nothing goes first, and the requests of a session
     * are carried out in order. ZooKeeper's own {@code sync} is not enough: the leader answers it at once, and may be behind
     * a follower in carrying out what both of them know to be decided.
     *
     * @param path of a node that tells nothing: it may be missing, or not ours to read
     * @param reading sends the first request at once
     */
    <T> CompletableFuture<T> upToDate(String path, Supplier<CompletableFuture<T>> reading) {
        CompletableFuture<Boolean> write = Futures.recover(
                multi(List.of(Op.check(path, -1))).thenApply(done -> true),
                failure -> Errors.is(failure, Code.NONODE) || Errors.is(failure, Code.NOAUTH)
                        ? CompletableFuture.completedFuture(true)
                        : CompletableFuture.failedFuture(failure));
        // Sent at once. If the write was lost, the rest may have gone to another server, and does not count.
        CompletableFuture<T> read = Futures.safely(reading);
        return write.thenCompose(done -> read);
    }

    private <T> CompletableFuture<T> ask(boolean write, Consumer<Request<T>> sending) {
        Request<T> request = new Request<>(write);
        pending.add(request);
        try {
            sending.accept(request);
        } catch (RuntimeException bad) {
            request.fail(bad);
        }
        return request.future;
    }

    private final class Request<T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final boolean write;
        // Before the send: the server hears of us later than this.
        private final long sentNanos = environment.nanoTime();

        Request(boolean write) {
            this.write = write;
        }

        void maybe(int rc, @Nullable String path, @Nullable Object found) {
            @SuppressWarnings("unchecked") // Only called where T is an Optional of what is found.
            T answer = (T) Optional.ofNullable(found);
            answered(rc, Code.NONODE, path, answer);
        }

        void answered(int rc, @Nullable String path, T answer) {
            answered(rc, Code.OK, path, answer);
        }

        /** @param tolerated what is an answer, too, though nothing was carried out */
        void answered(int rc, Code tolerated, @Nullable String path, T answer) {
            pending.remove(this);
            if (Errors.isAnswer(rc)) {
                proof.heard(sentNanos, environment.nanoTime(), write && rc == 0);
            }
            if (rc == 0 || rc == tolerated.intValue()) {
                future.complete(answer);
            } else {
                future.completeExceptionally(KeeperException.create(Code.get(rc), path));
            }
        }

        void fail(Throwable why) {
            pending.remove(this);
            future.completeExceptionally(why);
        }
    }
}
