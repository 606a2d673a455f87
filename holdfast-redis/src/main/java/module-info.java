/** Locks in Redis. Start with {@link dev.holdfast.redis.RedisBackend}. */
// Lettuce is an automatic module under a name it has declared, so the name is not going to change.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.holdfast.redis {
    requires transitive dev.holdfast;
    requires transitive lettuce.core;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    exports dev.holdfast.redis;
}
