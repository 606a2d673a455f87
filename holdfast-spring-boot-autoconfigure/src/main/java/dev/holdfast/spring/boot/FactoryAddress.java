package dev.holdfast.spring.boot;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.Objects;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/** Where a connection factory leads to, as it tells its own client: that client keeps it to itself. */
final class FactoryAddress {
    private FactoryAddress() {}

    /** One server, at its address or its socket. */
    static RedisURI ofServer(LettuceConnectionFactory factory) {
        RedisSocketConfiguration socket = factory.getSocketConfiguration();
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        RedisURI uri = socket == null
                ? RedisURI.create(server.getHostName(), server.getPort())
                : RedisURI.Builder.socket(socket.getSocket()).build();
        LettuceClientConfiguration settings = factory.getClientConfiguration();
        apply(settings, uri);
        uri.setDatabase(factory.getDatabase());
        authenticate(uri, socket == null ? server : socket);
        settings.getRedisCredentialsProviderFactory()
                .map(credentials -> credentials.createCredentialsProvider(socket == null ? server : socket))
                .ifPresent(uri::setCredentialsProvider);
        return uri;
    }

    /** The sentinels and the name of their master, with the logins of both. */
    static RedisURI ofSentinels(LettuceConnectionFactory factory) {
        RedisSentinelConfiguration sentinels = Objects.requireNonNull(factory.getSentinelConfiguration(), "sentinels");
        RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinels);
        LettuceClientConfiguration settings = factory.getClientConfiguration();
        apply(settings, uri);
        uri.getSentinels().forEach(sentinel -> apply(settings, sentinel));
        uri.setDatabase(factory.getDatabase());
        settings.getRedisCredentialsProviderFactory().ifPresent(credentials -> {
            uri.setCredentialsProvider(credentials.createCredentialsProvider(sentinels));
            uri.getSentinels()
                    .forEach(sentinel ->
                            sentinel.setCredentialsProvider(credentials.createSentinelCredentialsProvider(sentinels)));
        });
        return uri;
    }

    private static void apply(LettuceClientConfiguration settings, RedisURI uri) {
        uri.setSsl(settings.isUseSsl());
        uri.setVerifyPeer(settings.getVerifyMode());
        uri.setStartTls(settings.isStartTls());
        settings.getClientName().ifPresent(uri::setClientName);
    }

    private static void authenticate(RedisURI uri, RedisConfiguration.WithAuthentication login) {
        login.getPassword()
                .toOptional()
                .map(password -> new StaticCredentialsProvider(login.getUsername(), password))
                .ifPresent(uri::setCredentialsProvider);
    }
}
