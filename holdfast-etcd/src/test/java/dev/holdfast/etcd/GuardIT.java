package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holder;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Guards that a withdrawal has to remove. They used to be remembered for good, also those of leases that had ended; with more
 * than 127 of them the servers refused every withdrawal, and locks were held for nobody.
 */
@OnEtcd
@Timeout(300)
class GuardIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ManualTime time = new ManualTime();
    private Components tested;

    @BeforeEach
    void open() {
        var endpoint = new Settings.Endpoint("127.0.0.1", server.port(0));
        Events nobody = (Events) Proxy.newProxyInstance(
                Events.class.getClassLoader(), new Class<?>[] {Events.class}, (proxy, method, arguments) -> null);
        tested = Components.open(
                new Settings(List.of(endpoint), null, null, false, null, "guard", PATIENCE), time, nobody);
    }

    @AfterEach
    void close() {
        tested.close();
    }

    @Test
    void aWithdrawalRemovesAnyNumberOfGuards() throws Exception {
        Owner owner = Owner.random(new SecureRandom());
        for (int i = 0; i < 250; i++) {
            leases().uncertain(new ServerLease(i, 2, Keys.bytes("guard/2/clients/" + i), 1, 0, 0));
        }
        String last = "guard/2/clients/249";
        server.etcdctl("put", last, "2");
        server.etcdctl("put", "guard/2/locks/many\t" + owner, "left behind");
        get(tested.claims().withdraw("many", owner));
        assertThat(leases().unfenced(1)).isEmpty();
        assertThat(server.etcdctl("get", "--keys-only", "--prefix", "guard/").output())
                .isEmpty();
    }

    @Test
    void theGuardOfALeaseThatHasEndedIsForgotten() throws Exception {
        ServerLease lease = get(leases().obtain(LEASE));
        leases().uncertain(lease);
        server.etcdctl("lease", "revoke", Long.toHexString(lease.id));
        await("forgotten").atMost(PATIENCE).until(() -> {
            time.advance(Duration.ofMillis(100));
            return leases().unfenced(1).isEmpty();
        });
        assertThat(lease.over).isTrue();
    }

    @Test
    void aGuardThatIsNotThereNeedNotBeRemoved() throws Exception {
        ServerLease lease = get(leases().obtain(LEASE));
        server.etcdctl("lease", "revoke", Long.toHexString(lease.id));
        Owner owner = Owner.random(new SecureRandom());
        Claim claim = Claim.of("anew", owner, LEASE, 1, new Holder("here", 1, ""));
        assertThat(get(tested.claims().acquire(claim))).isInstanceOf(Answer.Granted.class);
        assertThat(leases().unfenced(1)).isEmpty();
        assertThat(get(leases().obtain(LEASE))).isNotSameAs(lease);
    }

    private ServerLeases leases() {
        return tested.claims().leases();
    }

    private static <T> T get(CompletableFuture<T> stage) throws Exception {
        return stage.get(60, TimeUnit.SECONDS);
    }
}
