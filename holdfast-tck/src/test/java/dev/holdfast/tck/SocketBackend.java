package dev.holdfast.tck;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.Holder;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/** The other end of {@link ServedStore}, with just what a process needs that takes locks and gets killed. */
final class SocketBackend implements LockBackend {
    /** How the separate process makes one. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return new SocketBackend(Integer.parseInt(url));
        }
    }

    /** To a claim: the token and the slot, or zero and the time after which to ask again. */
    private record Reply(long first, long second) {}

    private final ReentrantLock oneAtATime = new ReentrantLock();
    private final Socket socket;

    private SocketBackend(int port) {
        try {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Reply send(String request, Claim claim, long token) {
        oneAtATime.lock();
        try {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeUTF(request);
            Wire.writeClaim(claim, out);
            out.writeLong(token);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return new Reply(in.readLong(), in.readLong());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            oneAtATime.unlock();
        }
    }

    private static Claim claim(String name, Owner owner, Duration lease) {
        return Claim.of(name, owner, lease, 1, new Holder("", 0, ""));
    }

    @Override
    public void open(Environment environment, Events events) {}

    @Override
    public Duration settling() {
        return Duration.ZERO;
    }

    @Override
    public Guarantees guarantees() {
        return Guarantees.builder()
                .exclusion("the end of a process")
                .tokenSource("a counter")
                .waking(Waking.POLL)
                .fair(false)
                .offers(LockKind.SEMAPHORE)
                .build();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        long sent = System.nanoTime();
        Reply reply = send("acquire", claim, 0);
        return completedFuture(
                reply.first() == 0
                        ? new Answer.Busy(Duration.ofNanos(reply.second()), claim.queue(), null)
                        : new Answer.Granted(
                                Grant.full(reply.first(), claim.tokens(), Validity.until(sent, claim.lease()))
                                        .ofSlot((int) reply.second())));
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return completedFuture(holdings.stream().map(this::renew).toList());
    }

    private Renewal renew(Holding holding) {
        long sent = System.nanoTime();
        Claim claim = claim(holding.key(), holding.owner(), holding.lease());
        return send("renew", claim, holding.lastToken()).first() == 1
                ? new Renewal.Renewed(Validity.until(sent, holding.lease()))
                : new Renewal.Gone();
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return withdraw(holding.key(), holding.owner(), 1).thenApply(gone -> true);
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        send("withdraw", claim(key, owner, Duration.ZERO), 0);
        return completedFuture(null);
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return notHere();
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return notHere();
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return notHere();
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return notHere();
    }

    private static <T> CompletionStage<T> notHere() {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("not for the process that gets killed"));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
