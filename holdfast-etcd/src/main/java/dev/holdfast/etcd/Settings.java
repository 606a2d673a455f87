package dev.holdfast.etcd;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.okhttp.OkHttpChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a backend was given.
 *
 * @param channel of the program; null for connections of our own
 * @param encryption null for connections that are not encrypted
 * @param isIdentified whether a certificate of ours is shown to the servers
 * @param login null for servers that ask for no password
 */
record Settings(
        List<Endpoint> endpoints,
        @Nullable Channel channel,
        @Nullable SSLSocketFactory encryption,
        boolean isIdentified,
        @Nullable Login login,
        String namespace,
        Duration requestTimeout) {
    private static final int LARGEST_MESSAGE = 16 << 20;

    record Endpoint(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + (port < 0 ? "" : ":" + port);
        }
    }

    record Login(String user, String password) {
        /** Never the password. */
        @Override
        public String toString() {
            return user;
        }
    }

    Keys keys() {
        return Keys.below(namespace);
    }

    /** Connects with its first request. */
    ManagedChannel newChannel(Endpoint endpoint) {
        OkHttpChannelBuilder builder = OkHttpChannelBuilder.forAddress(endpoint.host(), endpoint.port());
        if (encryption == null) {
            builder.usePlaintext().socketFactory(new PlainSockets());
        } else {
            builder.sslSocketFactory(new TlsSockets(encryption));
        }
        return builder
                // What is sent twice is for us to decide.
                .disableRetry()
                // Servers refuse pings that come more often than every 5 s.
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .build();
    }
}
