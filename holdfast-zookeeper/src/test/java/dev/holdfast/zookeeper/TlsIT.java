package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Encrypted connections. They used to need system properties, and could not be asked for in a URL. */
@Timeout(120)
class TlsIT {
    @RegisterExtension
    static final TlsServer server = new TlsServer();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final String PASSWORD = URLEncoder.encode(TlsServer.PASSWORD, StandardCharsets.UTF_8);

    @BeforeAll
    static void connectOnce() throws Exception {
        // The first TLS connection of a process takes seconds on a busy machine. Without this, who must get no answer
        // would
        // get none in time for that reason alone.
        try (Holdfast holdfast = Holdfast.over(ZooKeeperBackend.connect(url("client")))) {
            holdfast.lock("first").acquire(PATIENCE).close();
        }
    }

    @Test
    void aUrlNamesTheCertificates() throws Exception {
        // The server asks for ours. It is a credential, too: so the nodes are not open to everybody.
        try (Holdfast holdfast = Holdfast.over(ZooKeeperBackend.connect(url("client")));
                Lease lease = holdfast.lock("encrypted").acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(holdfast.diagnose()).noneMatch(finding -> finding.severity() == Severity.WARNING);
        }
    }

    @Test
    void aCertificateThatTheServerDoesNotKnowGetsNoAnswer() {
        requireUnanswered(url("stranger"));
    }

    @Test
    void aServerWhoseCertificateWeDoNotKnowGetsNoRequest() {
        // Without a trust store the JDK's list counts, and our server is not in it.
        requireUnanswered("zookeeper+tls://" + server.address() + "?tickTime=200ms&keyStore=" + server.store("client")
                + "&keyStorePassword=" + PASSWORD);
    }

    @Test
    void anAddressThatIsNotInTheCertificateIsNotLookedUpInReverse() {
        // Whoever answers for the address in the DNS could otherwise choose the name that the certificate is checked
        // for.
        requireUnanswered(url("client").replace(server.address(), server.numericAddress()));
    }

    @Test
    void aPlainConnectionToAPortForTlsIsUnavailable() {
        requireUnanswered("zookeeper://" + server.address() + "?tickTime=200ms");
    }

    @Test
    void aStoreThatCannotBeReadIsRefusedAtOnceWithoutItsPassword() {
        String missing = "zookeeper+tls://" + server.address() + "?trustStore=/nowhere.p12&trustStorePassword=hidden";
        assertThatThrownBy(() -> ZooKeeperBackend.connect(missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The trust store '/nowhere.p12' cannot be read")
                .hasStackTraceContaining("nowhere")
                .satisfies(SecretsTest::requireNoSecret);
        String wrong = "zookeeper+tls://" + server.address() + "?trustStore=" + server.store("client-trust")
                + "&trustStorePassword=hidden";
        assertThatThrownBy(() -> ZooKeeperBackend.connect(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("password")
                .satisfies(SecretsTest::requireNoSecret);
    }

    private static String url(String key) {
        return "zookeeper+tls://" + server.address() + "?tickTime=200ms&trustStore=" + server.store("client-trust")
                + "&trustStorePassword=" + PASSWORD + "&keyStore=" + server.store(key) + "&keyStorePassword="
                + PASSWORD;
    }

    private static void requireUnanswered(String url) {
        try (Holdfast holdfast = Holdfast.builder(
                        ZooKeeperBackend.builder(url).connectionTimeout(SHORT).connect())
                .closeGrace(Duration.ZERO)
                .build()) {
            // Asks once, for that long. A limit of the caller could end before the reason is known.
            assertThatThrownBy(() -> holdfast.lock("refused").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("no ZooKeeper server has answered");
        }
    }
}
