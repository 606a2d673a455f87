package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoalescingWriterTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new CoalescingWriter());
    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void whatIsAskedInOneTurnIsWrittenAtItsEnd() {
        List<Object> early = new ArrayList<>();
        inOneTurn(() -> {
            ask("first", "second");
            early.addAll(channel.outboundMessages());
        });
        assertThat(early).isEmpty();
        assertThat(List.copyOf(channel.outboundMessages())).containsExactly("first", "second");
    }

    @Test
    void theNextTurnIsLikeTheFirst() {
        // After one in which many asked, and one in which one did.
        inOneTurn(() -> ask("first", "second"));
        inOneTurn(() -> ask("third"));
        inOneTurn(() -> ask("fourth"));
        assertThat(channel.outboundMessages()).hasSize(4);
    }

    @Test
    void whatWasAskedBeforeTheConnectionIsClosedIsWritten() {
        // It may be a release. Nobody would repeat it.
        inOneTurn(() -> {
            ask("release");
            channel.pipeline().close();
        });
        assertThat(List.copyOf(channel.outboundMessages())).containsExactly("release");
    }

    @Test
    void whatCanShareDoes() {
        inOneTurn(() -> ask(claim("x"), claim("y")));
        assertThat(List.copyOf(channel.outboundMessages()))
                .singleElement()
                .extracting(sent -> ((Request) sent).call().script)
                .isEqualTo(Script.QUORUM_ACQUIRE_BATCH);
    }

    @Test
    void whatCannotShareGoesBehindWhatCameBefore() {
        // It may be the undo of one of those.
        inOneTurn(() -> ask(claim("x"), claim("y"), "undo", claim("z")));
        assertThat(List.copyOf(channel.outboundMessages()))
                .hasSize(3)
                .element(1)
                .isEqualTo("undo");
    }

    @Test
    void whatCannotBeWrittenAnyMoreFails() {
        // The connection breaks before the end of the turn.
        inOneTurn(() -> {
            ask(claim("x"), claim("y"));
            channel.unsafe().close(channel.voidPromise());
        });
        assertThat(failures).hasSize(2).doesNotContainNull();
    }

    @Test
    void whoAsksAgainWhenAWriteFailsIsHeard() {
        List<Object> written = new ArrayList<>();
        EmbeddedChannel failing = new EmbeddedChannel(
                new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                        written.add(message);
                        promise.setFailure(new IOException("broken"));
                    }
                },
                new CoalescingWriter());
        Request first = new Request(CommandType.EVALSHA, claim("x").call(), (reply, failure) -> {
            failing.pipeline().write(claim("y"));
            failing.pipeline().flush();
        });
        failing.pipeline().write(first);
        failing.pipeline().flush();
        failing.runPendingTasks();
        assertThat(written).hasSize(2);
    }

    @Test
    void whatCannotBePutTogetherFailsAndNothingElse() {
        // Without a name: a fault of ours. The thread goes on.
        inOneTurn(() -> ask(claim("x"), claim("y"), nameless(), "undo"));
        assertThat(failures).hasSize(2).doesNotContainNull();
        inOneTurn(() -> ask(claim("z")));
        assertThat(channel.outboundMessages()).hasSize(2);
    }

    private Request nameless() {
        Call call = new Call(Script.QUORUM_ACQUIRE, new String[0], claim("y").call().arguments);
        return new Request(CommandType.EVALSHA, call, (reply, failure) -> {});
    }

    private Request claim(String name) {
        Call call = new Call(
                Script.QUORUM_ACQUIRE,
                Keys.standard().ofQuorum(name),
                "admitted",
                "owner of " + name,
                "1",
                "30000",
                "16",
                "7 here ",
                "5000",
                "80",
                "");
        return new Request(CommandType.EVALSHA, call, (reply, failure) -> failures.add(failure));
    }

    private void ask(Object... all) {
        // In this order, because this kind of channel does what is due after each write that gets to it.
        for (Object each : all) {
            channel.pipeline().write(each);
        }
        for (int i = 0; i < all.length; i++) {
            channel.pipeline().flush();
        }
    }

    private void inOneTurn(Runnable steps) {
        channel.eventLoop().execute(steps);
        channel.runPendingTasks();
    }
}
