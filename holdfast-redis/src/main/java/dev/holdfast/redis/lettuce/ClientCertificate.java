package dev.holdfast.redis.lettuce;

import dev.holdfast.spi.Failures;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

/**
 * The certificate that this process shows to servers which ask for one: that of {@code javax.net.ssl.keyStore}, as the JDK's
 * own TLS has it. Lettuce by itself shows none. Whom we trust ({@code javax.net.ssl.trustStore}) it takes from the JDK.
 */
final class ClientCertificate {
    private ClientCertificate() {}

    /** The options with the certificate, if there is one. */
    static SslOptions addTo(SslOptions options) {
        String file = System.getProperty("javax.net.ssl.keyStore", "");
        if (file.isEmpty() || file.equals("NONE")) {
            return options;
        }
        char[] password =
                System.getProperty("javax.net.ssl.keyStorePassword", "").toCharArray();
        String type = System.getProperty("javax.net.ssl.keyStoreType", KeyStore.getDefaultType());
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            KeyStore store = KeyStore.getInstance(type);
            store.load(in, password);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            return options.mutate().keyManager(keys).build();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "The key store of javax.net.ssl.keyStore, " + file
                            + ", cannot be read, so no client certificate can be" + " shown to the server: "
                            + Failures.describe(e),
                    e);
        }
    }
}
