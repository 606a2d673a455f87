package dev.holdfast.cli.serve;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.Failures;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Keys and certificates in files of any format that the JDK reads. */
final class KeyStores {
    private KeyStores() {}

    /**
     * @param key the server's own
     * @param trust whose certificates are accepted; null if none is asked for
     */
    static SSLContext context(String key, String keyPassword, @Nullable String trust, String trustPassword) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(read(key, keyPassword), keyPassword.toCharArray());
            TrustManager[] trusted = null;
            if (trust != null) {
                TrustManagerFactory factory =
                        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                factory.init(read(trust, trustPassword));
                trusted = factory.getTrustManagers();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trusted, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new CliException(ExitCode.USAGE, "The key store " + key + " cannot be used: " + Failures.describe(e));
        }
    }

    private static KeyStore read(String path, String password) {
        try {
            return KeyStore.getInstance(new File(path), password.toCharArray());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new CliException(
                    ExitCode.USAGE, "The key store " + path + " cannot be read: " + Failures.describe(e) + ".");
        }
    }
}
