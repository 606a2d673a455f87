package dev.holdfast.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShareRulesTest {
    private static final String SEMAPHORE = LockKey.semaphore("exports").encoded();
    private static final String READ_WRITE = LockKey.readWriteLock("catalog").encoded();
    private static final Holder HOLDER = new Holder("host", 1, "");

    private static Share held(int number, String kind) {
        return new Share(number, new Row("somebody", 1, 1, 0, 100, kind, Notes.NONE, HOLDER));
    }

    private static ShareClaim claim(String kind, int slots) {
        return new ShareClaim(kind + slots, slots, 10, 1, "", kind, Notes.NONE, HOLDER, 100);
    }

    private static List<Integer> serve(String key, List<Share> held, ShareClaim... line) {
        return new ShareRules(key, held)
                .serve(List.of(line)).stream().map(ShareRules.Given::number).toList();
    }

    @Test
    void theFirstInLineWhoseNumberCoversAFreeSlotGetsIt() {
        // Slot 0 is taken. The first in line knows only that one; the others are not held up by it.
        List<Share> held = List.of(held(0, Share.SLOT));
        assertThat(serve(SEMAPHORE, held, claim(Share.SLOT, 1), claim(Share.SLOT, 2), claim(Share.SLOT, 2)))
                .containsExactly(1);
        assertThat(serve(SEMAPHORE, held, claim(Share.SLOT, 1), claim(Share.SLOT, 3), claim(Share.SLOT, 3)))
                .containsExactly(1, 2);
        assertThat(serve(SEMAPHORE, List.of(held(1, "later")), claim(Share.SLOT, 2), claim(Share.SLOT, 2)))
                .containsExactly(0);
    }

    @Test
    void readersAreServedUpToTheNextWriterAndAWriterAlone() {
        ShareClaim reader = claim(Share.READER, 1);
        ShareClaim writer = claim(Share.WRITER, 1);
        assertThat(serve(READ_WRITE, List.of(), reader, reader, writer, reader)).containsExactly(1, 2);
        assertThat(serve(READ_WRITE, List.of(), writer, reader)).containsExactly(0);
        assertThat(serve(READ_WRITE, List.of(held(2, Share.READER)), reader, writer, reader))
                .containsExactly(1);
        assertThat(serve(READ_WRITE, List.of(held(2, Share.READER)), writer, reader))
                .isEmpty();
        assertThat(serve(READ_WRITE, List.of(held(0, Share.WRITER)), reader)).isEmpty();
        // A kind that this version does not know tolerates nobody beside it, whether it holds or waits.
        assertThat(serve(READ_WRITE, List.of(held(3, "later")), reader)).isEmpty();
        assertThat(serve(READ_WRITE, List.of(), claim("later", 1), reader)).containsExactly(0);
    }

    @Test
    void severalBlocksEndAtTheClockTogetherAndKeepTheirOrder() {
        assertThat(TokenBlock.after(100, 10_000, List.of(1_000, 1_000, 1)))
                .containsExactly(new TokenBlock(8_999, 1_000), new TokenBlock(9_999, 1_000), new TokenBlock(10_000, 1));
        // Not enough time has passed for all that is wanted.
        assertThat(TokenBlock.after(9_995, 10_000, List.of(1_000, 1_000, 1)))
                .containsExactly(new TokenBlock(9_996, 1), new TokenBlock(9_999, 3), new TokenBlock(10_000, 1));
        // The counter is lost: what was given out below this moment is not known.
        assertThat(TokenBlock.after(0, 10_000, List.of(5, 5)))
                .containsExactly(new TokenBlock(10_000, 1), new TokenBlock(10_001, 1));
    }
}
