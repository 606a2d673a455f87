package dev.holdfast.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust and who we are, as the PEM files that etcd's own tools take.
 *
 * @param ca null for the JDK's own list
 */
record Tls(
        @Nullable Path ca,
        @Nullable Path certificate,
        @Nullable Path key) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if one of them cannot be used; the message says which, and why
     */
    SSLSocketFactory socketFactory() {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("cert and key go together: a certificate is of no use without its key");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate == null || key == null ? null : keyManagers(certificate, key),
                    ca == null ? null : trustManagers(ca),
                    null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trustManagers(Path ca) throws GeneralSecurityException, IOException {
        KeyStore trusted = empty();
        int number = 0;
        for (Certificate each : certificates("ca", ca)) {
            trusted.setCertificateEntry("ca" + number++, each);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers();
    }

    private static KeyManager[] keyManagers(Path certificate, Path key) throws GeneralSecurityException, IOException {
        KeyStore ours = empty();
        char[] none = new char[0];
        ours.setKeyEntry(
                "client",
                privateKey(key),
                none,
                certificates("cert", certificate).toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(ours, none);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(String what, Path file)
            throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(readable(what, file))) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new IllegalArgumentException("The file for " + what + " has no certificate in it: " + file);
            }
            return found;
        }
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
        Matcher pem = KEY.matcher(Files.readString(readable("key", file), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new IllegalArgumentException("The file for key has no key in it that begins with BEGIN PRIVATE KEY: "
                    + file + ". Other forms are converted with openssl pkcs8 -topk8 -nocrypt.");
        }
        PKCS8EncodedKeySpec spec =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException another) {
                // The next one.
            }
        }
        throw new IllegalArgumentException("The key is neither of RSA nor of an elliptic curve: " + file);
    }

    private static Path readable(String what, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("The file for " + what + " cannot be read: " + file);
        }
        return file;
    }
}
