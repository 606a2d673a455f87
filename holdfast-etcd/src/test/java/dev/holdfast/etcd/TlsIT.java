package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is encrypted and asks for a certificate. */
@OnEtcd
@Timeout(300)
class TlsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final KeyFiles FILES = KeyFiles.make("EC");

    @RegisterExtension
    static final Servers server = Servers.encrypted(FILES);

    private static String url(String settings) {
        return "etcd+tls://" + server.addresses(0) + settings;
    }

    @Test
    void aCertificateThatTheServerTrustsLetsUsIn() throws Exception {
        String url = url("?ca=" + FILES.certificate() + "&cert=" + FILES.certificate() + "&key=" + FILES.key());
        try (Holdfast holdfast = open(url);
                Holdfast other = open(url)) {
            Lease lease = holdfast.lock("encrypted").acquire(PATIENCE);
            CompletableFuture<Lease> rival = other.lock("encrypted").acquireAsync(PATIENCE.multipliedBy(2));
            assertThat(other.lock("encrypted").tryAcquire()).isEmpty();
            lease.close();
            rival.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(holdfast.diagnose()).extracting(Finding::code).doesNotContain("etcd.open");
        }
    }

    @Test
    void withoutACertificateThatIsUnavailableAndNotBusy() {
        requireUnavailable(url("?ca=" + FILES.certificate()));
    }

    @Test
    void aServerThatWeDoNotTrustIsUnavailable() {
        requireUnavailable(url("?cert=" + FILES.certificate() + "&key=" + FILES.key()));
        KeyFiles others = KeyFiles.make("RSA");
        requireUnavailable(url("?ca=" + others.certificate() + "&cert=" + FILES.certificate() + "&key=" + FILES.key()));
    }

    @Test
    void aConnectionThatIsNotEncryptedIsUnavailable() {
        requireUnavailable(server.url());
    }

    /** Who asks once has to get an answer, however long encryption takes on a busy machine. */
    private static Holdfast open(String url) {
        return Holdfast.builder(
                        EtcdBackend.builder(url).requestTimeout(PATIENCE).connect())
                .unavailableAfter(PATIENCE)
                .build();
    }

    private static void requireUnavailable(String url) {
        try (Holdfast holdfast = Holdfast.over(EtcdBackend.connect(url))) {
            assertThatThrownBy(() -> holdfast.lock("refused").acquire(Duration.ofSeconds(1)))
                    .isInstanceOf(LockUnavailableException.class);
        }
    }
}
