package dev.holdfast.redis.quorum;

import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server where waiters stand in line. */
@Timeout(300)
class RedlockHomeIT {
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    @Test
    void theHomeOfAQueueDiesAndTheWaiterIsServedAllTheSame() throws Exception {
        // A waiter stands in line at one server, which is killed. Then the lock is released: nobody can tell the
        // waiter.
        String name = "home";
        try (Five own = Five.servers().start();
                Holdfast holder = Holdfast.over(new MinorityContract.Clients().connect(own.url()));
                Holdfast waiter = Holdfast.over(new MinorityContract.Clients().connect(own.url()))) {
            Lease held = holder.lock(name).acquire(PATIENCE);
            var waiting = waiter.lock(name).acquireAsync(PATIENCE);
            String queue = Keys.standard().ofQuorum().queue(name);
            await().atMost(PATIENCE)
                    .until(
                            () -> own.servers.stream()
                                    .filter(server -> Long.valueOf(1).equals(server.call("LLEN", queue)))
                                    .findFirst(),
                            Optional::isPresent)
                    .orElseThrow()
                    .kill();
            held.close();
            waiting.get().close();
        }
    }
}
