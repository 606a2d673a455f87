package dev.holdfast.redis.lettuce;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a server answers: longs, strings, nulls and lists of them. A single value comes as a list of one. */
final class Reply extends CommandOutput<String, String, List<Object>> {
    /** The lists around the one that is being filled. Most answers are flat. */
    private @Nullable ArrayDeque<List<Object>> around;

    private int depth;

    Reply() {
        super(StringCodec.UTF8, List.of());
    }

    @Override
    public void set(long integer) {
        add(integer);
    }

    @Override
    public void set(double number) {
        add(number);
    }

    @Override
    public void set(@Nullable ByteBuffer text) {
        add(text == null ? null : text(text));
    }

    private static String text(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return new String(copy, StandardCharsets.UTF_8);
    }

    @SuppressWarnings("NullAway") // A list of the answer may hold nulls; its readers know where.
    private void add(@Nullable Object value) {
        if (depth == 0) {
            output = new ArrayList<>(1);
        }
        output.add(value);
    }

    @Override
    public void multi(int count) {
        List<Object> inner = new ArrayList<>(Math.max(0, count));
        if (depth > 0) {
            output.add(inner);
            if (around == null) {
                around = new ArrayDeque<>();
            }
            around.push(output);
        }
        output = inner;
        depth++;
    }

    @Override
    public void complete(int open) {
        if (open > 0 && open < depth && around != null) {
            output = around.pop();
            depth--;
        }
    }
}
