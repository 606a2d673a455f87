package dev.holdfast.cli.demo;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.StaleTokenException;
import dev.holdfast.Votes;
import dev.holdfast.cli.connect.StoreUrls;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.memory.InMemoryFence;
import dev.holdfast.redis.RedlockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Shows the lock at work on five real Redis servers: contention, hand-over, a server killed, and a paused holder whose late
 * write is refused. Three clients in this process play three processes.
 */
public final class Demo {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    private static final int SERVERS = 5;
    private static final int CLIENTS = 3;
    private static final int THREADS = 12;
    private static final int ROUNDS = 200;

    private final RedisServers servers;
    private final List<Holdfast> clients = new ArrayList<>();

    private Demo(RedisServers servers) {
        this.servers = servers;
        RedlockBackend.initialise(servers.redlockUrl());
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Holdfast.builder(RedlockBackend.connect(servers.redlockUrl()))
                    .describedAs("client " + (i + 1))
                    .closeGrace(Duration.ZERO)
                    .build());
        }
    }

    public static void run() throws InterruptedException {
        say("Starting five Redis servers of our own…");
        try (RedisServers servers = RedisServers.start(SERVERS)) {
            say("They are at %s, and stop with the demo.", servers.redlockUrl());
            say("Whoever has the votes of three of the five holds the lock. Three clients play three processes.");
            Demo demo = new Demo(servers);
            try {
                demo.contention();
                demo.handOver();
                demo.killedServer();
                demo.pausedHolder();
            } finally {
                demo.clients.forEach(Holdfast::close);
            }
        }
        say("");
        say("The same calls work on every store: %s. From a shell: holdfast run NAME -- COMMAND.", StoreUrls.KNOWN);
    }

    private void contention() {
        title("1. Contention: twelve threads in three clients raise one plain counter.");
        say("   Look at the sum: each thread reads, adds one and writes back, so every overlap would lose one.");
        int[] counter = {0};
        long begun = System.nanoTime();
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Holdfast client = clients.get(i % CLIENTS);
            workers.add(CompletableFuture.runAsync(() -> raise(client, counter), task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).join();
        int expected = THREADS * ROUNDS;
        say(
                "   %d increments in %s, the counter says %d: %s.",
                expected,
                Durations.text(Duration.ofNanos(System.nanoTime() - begun)),
                counter[0],
                counter[0] == expected ? "none lost" : "BROKEN");
    }

    private static void raise(Holdfast client, int[] counter) {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                client.lock("counter").call(PATIENCE, lease -> counter[0]++);
            }
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private void handOver() throws InterruptedException {
        title("2. Hand-over: client 2 waits for what client 1 holds.");
        say("   Look at the tokens: each holder gets a larger number than the one before.");
        Lease first = clients.get(0).lock("report").acquire(PATIENCE);
        say("   client 1 holds 'report' with %s votes, token %s", votes(0, "report"), first.token());
        CompletableFuture<Lease> second = clients.get(1).lock("report").acquireAsync(PATIENCE);
        say(
                "   client 2 asks; the servers name the holder: %s",
                clients.get(1).inspect("report").orElseThrow().holder());
        long begun = System.nanoTime();
        first.close();
        Lease next = second.join();
        say(
                "   client 1 closed its lease, and %s later client 2 had it, token %s",
                Durations.text(Duration.ofNanos(System.nanoTime() - begun)), next.token());
        next.close();
    }

    private void killedServer() throws InterruptedException {
        title("3. A server is killed while a lock is held.");
        say("   Look at the votes: a majority of five is enough, and the lease stays valid.");
        Lease held = clients.get(0).lock("job").acquire(PATIENCE);
        say("   client 1 holds 'job', token %s", held.token());
        say("   killed: the server at %s", servers.kill(SERVERS - 1));
        say(
                "   client 2 asks: busy is %s; client 1 asks: isValid() is %s",
                isBusy(clients.get(1).lock("job")), held.isValid());
        held.close();
        try (Lease next = clients.get(1).lock("job").acquire(PATIENCE)) {
            say("   client 1 closed; client 2 has it with %s votes, token %s", votes(1, "job"), next.token());
        }
    }

    private void pausedHolder() throws InterruptedException {
        title("4. A holder is paused past its lease, wakes up and writes.");
        say("   Look at the account: no lock can stop that write, but the resource can, by the token.");
        InMemoryFence fence = new InMemoryFence("account");
        List<String> account = new ArrayList<>();
        Lease paused =
                clients.get(0).lock("account").withLease(SHORT_LEASE).fixed().acquire(PATIENCE);
        fence.announce(paused.token());
        say(
                "   client 1 holds token %s for %s, and stops: a long pause of its JVM",
                paused.token(), Durations.text(SHORT_LEASE));
        Lease rival = clients.get(1).lock("account").acquire(PATIENCE);
        fence.announce(rival.token());
        say("   the lease ran out; client 2 has token %s and announced it to the resource", rival.token());
        try {
            fence.guarded(paused.token(), () -> account.add("written by client 1"));
        } catch (StaleTokenException e) {
            say("   client 1 wakes and writes. Refused: %s", String.valueOf(e.getMessage()));
        }
        fence.guarded(rival.token(), () -> account.add("written by client 2"));
        say("   the account holds %s", account);
        rival.close();
        paused.close();
    }

    /** On a busy machine a majority may vote too late. That is no answer, and it is asked again. */
    private static boolean isBusy(DistributedLock lock) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return lock.tryAcquire().isEmpty();
            } catch (LockUnavailableException tooLate) {
                if (System.nanoTime() - deadline > 0) {
                    throw tooLate;
                }
            }
        }
    }

    private Votes votes(int client, String name) throws InterruptedException {
        return clients.get(client).inspect(name).orElseThrow().votes();
    }

    private static void title(String text) {
        say("");
        say(text);
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation would be a dependency, for one private method.
    private static void say(String text, Object... values) {
        System.out.println(values.length == 0 ? text : String.format(text, values));
    }
}
