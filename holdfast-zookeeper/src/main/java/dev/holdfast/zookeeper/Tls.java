package dev.holdfast.zookeeper;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * An encrypted connection: whom we trust, and who we are. What is not given here comes from ZooKeeper's system properties
 * ({@code zookeeper.ssl.trustStore.location} and the like), then from the JDK's ({@code javax.net.ssl.trustStore}), and whom
 * to trust at last from the JDK's own list. The name in the server's certificate is checked.
 */
record Tls(@Nullable Store trust, @Nullable Store key) {
    private static final String SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";
    private static final String[] NEEDED = {
        "io.netty.handler.ssl.SslContextBuilder", "io.netty.channel.epoll.EpollEventLoopGroup"
    };

    /** A file with certificates or keys, in any format that the JDK reads. */
    record Store(String path, String password) {
        @Override
        public String toString() {
            return path;
        }

        /** Read once now: the library would only log that it cannot, again and again. */
        String type(String what) {
            try {
                return KeyStore.getInstance(new File(path), password.toCharArray())
                        .getType();
            } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "The " + what + " '" + path + "' cannot be read: " + Errors.describe(e)
                                + ". No connection is made without it",
                        e);
            }
        }
    }

    /**
     * What the library needs to be told.
     *
     * @throws IllegalArgumentException if a file cannot be read, or what TLS needs is not on the class path
     */
    ZKClientConfig config() {
        for (String type : NEEDED) {
            requireClass(type);
        }
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, SOCKET);
        if (!isSaslConfigured(config)) {
            // Prepared for SASL, the library looks the name of a numeric address up in reverse, and checks the
            // certificate
            // for what it finds: for a name that whoever answers for the address in the DNS can choose.
            config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        }
        apply(config, "trustStore", "trust store", trust);
        apply(config, "keyStore", "key store", key);
        if (config.getProperty("zookeeper.ssl.trustStore.location", "").isEmpty()) {
            apply(config, "trustStore", "trust store", jdkTrust());
        }
        return config;
    }

    /** Whether there is a JAAS section for this client: the same test as the library makes. */
    private static boolean isSaslConfigured(ZKClientConfig config) {
        String section = config.getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, "Client");
        try {
            return Configuration.getConfiguration().getAppConfigurationEntry(section) != null;
        } catch (SecurityException | IllegalArgumentException none) {
            return false;
        }
    }

    private static void apply(ZKClientConfig config, String property, String what, @Nullable Store given) {
        Store store = given;
        String prefix = "zookeeper.ssl." + property + ".";
        if (store == null && config.getProperty(prefix + "location", "").isEmpty()) {
            store = fromJdkProperties(property);
        }
        if (store != null) {
            config.setProperty(prefix + "location", store.path());
            config.setProperty(prefix + "password", store.password());
            config.setProperty(prefix + "type", store.type(what).equalsIgnoreCase("JKS") ? "JKS" : "PKCS12");
        }
    }

    private static @Nullable Store fromJdkProperties(String property) {
        String path = System.getProperty("javax.net.ssl." + property);
        return path == null ? null : new Store(path, System.getProperty("javax.net.ssl." + property + "Password", ""));
    }

    private static Store jdkTrust() {
        return new Store(
                Path.of(System.getProperty("java.home"), "lib", "security", "cacerts")
                        .toString(),
                "changeit");
    }

    private static void requireClass(String name) {
        try {
            Class.forName(name, false, Tls.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError missing) {
            throw new IllegalArgumentException(
                    "ZooKeeper's client needs Netty for TLS, and " + name + " is not on the class path: add"
                            + " io.netty:netty-handler and io.netty:netty-transport-classes-epoll, both of one version",
                    missing);
        }
    }
}
