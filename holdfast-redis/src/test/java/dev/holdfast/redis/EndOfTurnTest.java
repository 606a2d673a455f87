package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndOfTurnTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new EndOfTurn());

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

    private void ask(String... all) {
        // In this order, because this kind of channel does what is due after each write that gets to it.
        for (String each : all) {
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
