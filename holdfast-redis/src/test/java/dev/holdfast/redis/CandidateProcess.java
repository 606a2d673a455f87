package dev.holdfast.redis;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Takes part in elections; arguments: the URL, the lease in milliseconds, the names. Prints {@code started NAME TOKEN NANOS} when it leads
 * and {@code told NAME TOKEN NANOS} when its task is interrupted, by the monotonic clock that all processes of the machine share. On the
 * line {@code resign} all resign; at the end of its input it ends.
 */
public final class CandidateProcess {
    private CandidateProcess() {}

    public static void main(String[] args) throws Exception {
        Duration lease = Duration.ofMillis(Long.parseLong(args[1]));
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(args[0]))) {
            List<Candidacy> candidacies = new ArrayList<>();
            for (String name : List.of(args).subList(2, args.length)) {
                candidacies.add(holdfast.election(name).withLease(lease).start(CandidateProcess::lead));
            }
            System.out.println("ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while ("resign".equals(orders.readLine())) {
                candidacies.forEach(Candidacy::resign);
            }
        }
    }

    private static void lead(Lease lease) {
        say("started", lease);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            say("told", lease);
        }
    }

    private static void say(String what, Lease lease) {
        long now = System.nanoTime();
        System.out.println(what + " " + lease.name() + " " + lease.token() + " " + now);
    }
}
