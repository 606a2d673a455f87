package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.TlsStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Servers behind TLS. The test's Redis has none, so a proxy ends it. */
@Isolated("sets properties of the whole process")
@Timeout(300)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class TlsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path folder;

    private static TlsStore store;

    @BeforeAll
    static void makeKeys() throws Exception {
        store = TlsStore.create(folder.resolve("store.p12"));
    }

    /**
     * The JDK keeps what it has read of a trust store, and while one thread reads another store, others may still get what it
     * kept. So it reads here, where there is one thread.
     */
    @AfterEach
    void forget() throws GeneralSecurityException {
        System.getProperties().keySet().removeIf(key -> String.valueOf(key).startsWith("javax.net.ssl."));
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm())
                .init((KeyStore) null);
    }

    private static void property(String what, String value) {
        System.setProperty("javax.net.ssl." + what, value);
    }

    private static void trust() {
        property("trustStore", store.file().toString());
        property("trustStorePassword", TlsStore.PASSWORD);
    }

    private static void lockOnce(Holdfast holdfast) throws InterruptedException {
        try (Lease lease = holdfast.lock("a").acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aQuorumWorksOverTls() throws Exception {
        // redlock:// was plain text, whatever the servers could do: there was no other.
        try (RedisServer one = RedisServer.embedded().start();
                RedisServer two = RedisServer.embedded().start();
                RedisServer three = RedisServer.embedded().start();
                Proxy first = new Proxy(one.port(), store.serverSockets());
                Proxy second = new Proxy(two.port(), store.serverSockets());
                Proxy third = new Proxy(three.port(), store.serverSockets());
                RedisClient client = RedisClient.create()) {
            String hosts = "127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port() + ",127.0.0.1:" + third.port();
            assertThatThrownBy(() -> RedlockBackend.connect("redlocks://" + hosts))
                    .as("nobody trusts these certificates yet")
                    .isInstanceOf(LockUnavailableException.class);
            client.setOptions(ClientOptions.builder()
                    .sslOptions(SslOptions.builder()
                            .truststore(store.file().toFile(), TlsStore.PASSWORD)
                            .build())
                    .build());
            RedlockBackend.Builder builder =
                    RedlockBackend.over(client, "redlocks://" + hosts).nodeTimeout(Patient.NODE_TIMEOUT);
            builder.initialise();
            try (Holdfast holdfast = Holdfast.over(builder.connect())) {
                lockOnce(holdfast);
            }
        }
    }

    @Test
    void theCertificateOfTheSystemPropertiesIsShown() throws Exception {
        // The server takes only clients that it knows. The certificate used to be ignored, as Lettuce does.
        try (RedisServer redis = RedisServer.embedded().start();
                Proxy tls = new Proxy(redis.port(), store.serverSocketsForKnownClients())) {
            String url = "rediss://127.0.0.1:" + tls.port();
            trust();
            assertThatThrownBy(() -> RedisBackend.connect(url)).isInstanceOf(LockUnavailableException.class);
            property("keyStore", store.file().toString());
            property("keyStorePassword", TlsStore.PASSWORD);
            try (Holdfast holdfast = Patient.client(url)) {
                lockOnce(holdfast);
            }
        }
    }

    @Test
    void aCertificateThatCannotBeReadIsNamed() {
        property("keyStore", folder.resolve("missing.p12").toString());
        assertThatThrownBy(() -> RedisBackend.connect("rediss://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("javax.net.ssl.keyStore")
                .hasMessageContaining("missing.p12");
        property("keyStore", store.file().toString());
        property("keyStorePassword", "s3cret");
        assertThatThrownBy(() -> RedisBackend.connect("rediss://127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("store.p12")
                .hasMessageNotContaining("s3cret");
    }
}
