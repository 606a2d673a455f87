package dev.holdfast.proving.machine;

import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.SentinelFailover;
import java.util.List;

/** A master, a replica, and three sentinels that watch them. */
public final class SentinelServers extends ReplicatedRedis {
    private final RedisSentinels sentinels;

    private SentinelServers(RedisSentinels sentinels) {
        super(new SentinelFailover(sentinels), "", sentinels::master);
        this.sentinels = sentinels;
    }

    public static SentinelServers start() {
        return new SentinelServers(RedisSentinels.trio().start());
    }

    /** Those of the sentinels. */
    @Override
    public List<Integer> ports() {
        return sentinels.sentinels().stream().map(RedisServer::port).toList();
    }

    @Override
    public void close() {
        sentinels.close();
    }
}
