package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.node.Script;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTest {
    private static String wire(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        frame.writeTo(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void wordsAreCountedInBytes() {
        // An empty word, one with letters of two bytes, and one longer than a frame is at first.
        String longWord = "x".repeat(1234);
        assertThat(wire(Frame.of("ECHO", "", "aäö", longWord)))
                .isEqualTo("*4\r\n$4\r\nECHO\r\n$0\r\n\r\n$5\r\naäö\r\n$1234\r\n" + longWord + "\r\n");
    }

    @Test
    void aScriptIsRunByItsNameAndTaughtByItsText() {
        String rest = "$1\r\n1\r\n$1\r\nk\r\n$2\r\na1\r\n$2\r\na2\r\n";
        String[] keys = {"k"};
        String[] arguments = {"a1", "a2"};
        assertThat(wire(Frame.run(Script.RELEASE, keys, arguments)))
                .isEqualTo("*6\r\n$7\r\nEVALSHA\r\n$40\r\n" + Script.RELEASE.sha() + "\r\n" + rest);
        String source = Script.RELEASE.source();
        assertThat(wire(Frame.teach(Script.RELEASE, keys, arguments)))
                .isEqualTo("*6\r\n$4\r\nEVAL\r\n$" + source.getBytes(StandardCharsets.UTF_8).length + "\r\n" + source
                        + "\r\n" + rest);
    }

    @Test
    void aRequestIsNeverSentTwice() {
        // Whoever hands it to the socket again is refused.
        Request request = new Request(CommandType.TIME, Frame.of("TIME"), (reply, failure) -> {});
        request.encode(Unpooled.buffer());
        ByteBuf again = Unpooled.buffer();
        assertThatThrownBy(() -> request.encode(again)).isInstanceOf(IllegalStateException.class);
        assertThat(again.readableBytes()).isZero();
    }

    @Test
    void itEndsOnce() {
        List<Object> ends = new ArrayList<>();
        Request request = new Request(
                CommandType.TIME, Frame.of("TIME"), (reply, failure) -> ends.add(failure == null ? reply : failure));
        request.getOutput().set(7);
        request.complete();
        request.cancel();
        request.completeExceptionally(new IllegalStateException());
        assertThat(ends).containsExactly(List.of(7L));
        assertThat(request.isDone()).isTrue();
    }

    @Test
    void answersAreReadAsTheyAreNested() {
        // [1, "a", [2, ["b"], nothing], "c"], told as Lettuce tells it: after each value, how many lists are open.
        Reply reply = new Reply();
        reply.multi(4);
        value(reply, 1, 1);
        text(reply, "a", 1);
        reply.multi(3);
        value(reply, 2, 2);
        reply.multi(1);
        text(reply, "b", 3);
        reply.complete(2);
        reply.set((ByteBuffer) null);
        reply.complete(2);
        reply.complete(1);
        text(reply, "c", 1);
        reply.complete(0);
        List<Object> inner = new ArrayList<>(List.of(2L, List.of("b")));
        inner.add(null);
        assertThat(reply.get()).isEqualTo(List.of(1L, "a", inner, "c"));
    }

    private static void value(Reply reply, long number, int open) {
        reply.set(number);
        reply.complete(open);
    }

    private static void text(Reply reply, String text, int open) {
        reply.set(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        reply.complete(open);
    }
}
