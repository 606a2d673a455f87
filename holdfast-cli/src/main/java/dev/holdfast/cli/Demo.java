package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.InMemoryBackend;
import dev.holdfast.InMemoryFence;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * The story in a few seconds, on the in-memory backend: contention, hand-over, a lost lease, a stale write that is
 * refused. Three clients of one memory stand for three processes.
 */
final class Demo {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int CLIENTS = 3;
    private static final int ROUNDS = 2_000;

    private final InMemoryBackend memory = new InMemoryBackend();
    private final List<InMemoryBackend> backends = new ArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();

    private Demo() {
        for (int i = 0; i < CLIENTS; i++) {
            InMemoryBackend backend = i == 0 ? memory : memory.another();
            backends.add(backend);
            clients.add(Holdfast.builder(backend)
                    .describedAs("client " + (i + 1))
                    .lease(Duration.ofSeconds(1))
                    .closeGrace(Duration.ZERO)
                    .build());
        }
    }

    static void tell() throws Exception {
        Demo demo = new Demo();
        say("Holdfast demo: three clients of one store in memory stand for three processes.");
        try {
            demo.contention();
            demo.handOver();
            demo.lostLease();
            demo.staleWrite();
        } finally {
            demo.clients.forEach(Holdfast::close);
        }
        say("");
        say("That was the in-memory backend. The same calls work on every other one; README.md lists them.");
    }

    private void contention() throws Exception {
        title("1. Contention: twelve threads in three clients raise one plain counter");
        int[] counter = {0};
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < 4 * CLIENTS; i++) {
            Holdfast client = clients.get(i % CLIENTS);
            workers.add(CompletableFuture.runAsync(() -> raise(client, counter), task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).join();
        int expected = 4 * CLIENTS * ROUNDS;
        say(
                "   %,d increments, the counter says %,d: %s.",
                expected, counter[0], counter[0] == expected ? "none lost" : "BROKEN");
    }

    private static void raise(Holdfast client, int[] counter) {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                client.lock("counter").call(PATIENCE, lease -> counter[0]++);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handOver() throws Exception {
        title("2. Hand-over: whoever waited longest gets it, and is told so; nobody polls");
        Lease first = clients.get(0).lock("report").acquire(PATIENCE);
        say("   client 1 holds 'report', token %s", first.token());
        CompletableFuture<Lease> second = clients.get(1).lock("report").acquireAsync(PATIENCE);
        CompletableFuture<Lease> third = clients.get(2).lock("report").acquireAsync(PATIENCE);
        say(
                "   clients 2 and 3 wait; the store says: %s",
                clients.get(0).inspect("report").orElseThrow().waiters());
        first.close();
        Lease next = second.join();
        say(
                "   client 1 closed its lease, client 2 has it, token %s; client 3 %s",
                next.token(), third.isDone() ? "too?!" : "still waits");
        next.close();
        Lease last = third.join();
        say("   client 2 closed, client 3 has it, token %s: tokens only ever grow", last.token());
        last.close();
    }

    private void lostLease() throws Exception {
        title("3. A lost lease: the store stops answering, the lease lasts one second");
        Lease lease = clients.get(0).lock("job").acquire(PATIENCE);
        CountDownLatch told = new CountDownLatch(1);
        lease.onLost(loss -> {
            say("   onLost: %s", loss);
            told.countDown();
        });
        backends.get(0).controls().pause();
        told.await();
        say("   isValid() says %s, without asking anyone", lease.isValid());
        backends.get(0).controls().resume();
        lease.close();
    }

    private void staleWrite() throws Exception {
        title("4. A stale write: a holder is paused past its lease, wakes up and writes");
        InMemoryFence fence = new InMemoryFence("account");
        List<String> account = new ArrayList<>();
        Lease paused = clients.get(0).lock("account").acquire(PATIENCE);
        fence.announce(paused.token());
        say("   client 1 holds token %s and is paused; at the store its lease runs out", paused.token());
        backends.get(0).controls().expireNow("account");
        Lease rival = clients.get(1).lock("account").acquire(PATIENCE);
        fence.announce(rival.token());
        say("   client 2 acquired token %s and announced it to the resource", rival.token());
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

    private static void title(String text) {
        say("");
        say(text);
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation would be a dependency, for one private method.
    private static void say(String text, Object... values) {
        System.out.println(values.length == 0 ? text : String.format(text, values));
    }
}
