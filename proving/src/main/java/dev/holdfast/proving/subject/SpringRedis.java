package dev.holdfast.proving.subject;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The connection that everybody on Spring Data Redis has. */
final class SpringRedis {
    private SpringRedis() {}

    static LettuceConnectionFactory connect(Target target) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", target.ports().get(0)));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
