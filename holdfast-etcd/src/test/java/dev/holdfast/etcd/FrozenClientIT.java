package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.tck.OtherJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process that holds a lock stands still for longer than its lease. */
@OnEtcd
@Timeout(300)
class FrozenClientIT {
    /** Two thirds of it are longer than a new JVM stands still by itself on a busy machine. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    @RegisterExtension
    static final Servers server = Servers.one();

    /** Holds the lock, and tells at each line of its input whether it believes so. */
    static final class Holder {
        public static void main(String[] args) throws Exception {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (Holdfast holdfast = Holdfast.builder(EtcdBackend.connect(args[0]))
                            .lease(LEASE)
                            .build();
                    Lease lease = holdfast.lock("frozen").acquire()) {
                System.out.println(lease.token());
                while (input.readLine() != null) {
                    System.out.println(lease.isValid());
                }
            }
        }
    }

    @Test
    void whoWakesAfterItsLeaseDoesNotBelieveToHoldIt() throws Exception {
        Process holder = OtherJvm.of(Holder.class, Holder.class, List.of(server.url()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (Holdfast rival = Holdfast.over(EtcdBackend.connect(server.url()));
                BufferedReader said = holder.inputReader();
                PrintStream to = new PrintStream(holder.getOutputStream(), true, StandardCharsets.UTF_8)) {
            long token = Long.parseLong(said.readLine());
            to.println("still?");
            assertThat(said.readLine()).isEqualTo("true");
            Servers.freeze(holder);
            try (Lease next = rival.lock("frozen").acquire(Duration.ofMinutes(2))) {
                // It stood still when the lock was granted, and this is the first thing that it does.
                to.println("still?");
                Servers.thaw(holder);
                assertThat(said.readLine()).isEqualTo("false");
                assertThat(next.isValid()).isTrue();
                assertThat(next.token().value()).isGreaterThan(token);
            }
        } finally {
            holder.destroyForcibly();
        }
    }
}
