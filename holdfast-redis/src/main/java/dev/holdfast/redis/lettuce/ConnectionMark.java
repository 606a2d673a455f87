package dev.holdfast.redis.lettuce;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What tells one connection from all others of the same server, also from that of a process with the same memory: the number
 * that the server gave it. It stands in the answer to HELLO, which every user may send; CLIENT ID would have to be permitted.
 */
final class ConnectionMark {
    private static final StringCodec CODEC = StringCodec.UTF8;

    private ConnectionMark() {}

    /** The server's number of this connection; zero if it does not say. Never fails. */
    static CompletableFuture<Long> number(StatefulRedisConnection<String, String> connection) {
        CommandArgs<String, String> arguments = new CommandArgs<>(CODEC).add(2);
        return NewConnection.answer(
                        connection, connection.async().dispatch(CommandType.HELLO, new ArrayOutput<>(CODEC), arguments))
                .handle((answer, failure) -> answer == null ? 0L : numberIn(answer));
    }

    /** The answer is a list of names and values. */
    private static long numberIn(List<@Nullable Object> answer) {
        for (int i = 0; i + 1 < answer.size(); i += 2) {
            if ("id".equals(answer.get(i)) && answer.get(i + 1) instanceof Long number) {
                return number;
            }
        }
        return 0;
    }

    /** Spread over all 64 bits. Numbers begin anew when the server does, so the start of the server is part of it. */
    static long of(String runId, long number) {
        if (number == 0) {
            return 0;
        }
        try {
            byte[] text = (runId + " " + number).getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
