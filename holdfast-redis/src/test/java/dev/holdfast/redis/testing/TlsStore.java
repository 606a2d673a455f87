package dev.holdfast.redis.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

/** A key and a certificate for 127.0.0.1 that nobody trusts by default: for servers with TLS, and for clients that show one. */
public final class TlsStore {
    public static final String PASSWORD = "changeit";

    private final Path file;

    private TlsStore(Path file) {
        this.file = file;
    }

    public static TlsStore create(Path file) throws IOException, InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "redis",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("keytool failed");
        }
        return new TlsStore(file);
    }

    public Path file() {
        return file;
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    /** Of a server with this certificate. */
    public ServerSocketFactory serverSockets() throws IOException, GeneralSecurityException {
        return context().getServerSocketFactory();
    }

    /** Of one that takes only clients which show this certificate, too. */
    public ServerSocketFactory serverSocketsForKnownClients() throws IOException, GeneralSecurityException {
        return new Strict(context().getServerSocketFactory());
    }

    private SSLContext context() throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(), PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(load());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static final class Strict extends ServerSocketFactory {
        private final ServerSocketFactory inner;

        Strict(ServerSocketFactory inner) {
            this.inner = inner;
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return strict(inner.createServerSocket(port));
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) throws IOException {
            return strict(inner.createServerSocket(port, backlog));
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
            return strict(inner.createServerSocket(port, backlog, address));
        }

        private static ServerSocket strict(ServerSocket socket) {
            ((SSLServerSocket) socket).setNeedClientAuth(true);
            return socket;
        }
    }
}
