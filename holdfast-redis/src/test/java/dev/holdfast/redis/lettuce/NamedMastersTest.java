package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.ServerAddress;
import org.junit.jupiter.api.Test;

/** What follows from what three sentinels say. */
class NamedMastersTest {
    private static final ServerAddress OLD = new ServerAddress("old", 1);
    private static final ServerAddress NEW = new ServerAddress("new", 2);

    private final NamedMasters named = new NamedMasters(3);

    private boolean answer(int sentinel, ServerAddress master) {
        return named.answered(sentinel, named.announcementsOf(sentinel), master);
    }

    private void allName(ServerAddress master) {
        // The first one alone decides nothing: it may have slept through a switch, and would cut healthy connections.
        assertThat(answer(0, master)).isFalse();
        assertThat(answer(1, master)).isTrue();
        assertThat(answer(2, master)).isTrue();
    }

    @Test
    void aSwitchIsBelievedOnceMostHaveAnnouncedIt() {
        allName(OLD);
        // Not that most name the old one either: whoever asked the first one is at the new master already.
        assertThat(named.announced(0, NEW)).isFalse();
        assertThat(named.announced(1, NEW)).isTrue();
        assertThat(named.announced(2, NEW)).isTrue();
    }

    @Test
    void oneThatWakesUpLateDecidesNothing() {
        // It cut healthy connections, with what was under way on them.
        allName(NEW);
        assertThat(named.announced(2, OLD)).isFalse();
    }

    @Test
    void oneThatIsNotHeardDoesNotCount() {
        allName(OLD);
        named.forget(1);
        named.forget(2);
        assertThat(named.announced(0, NEW)).isTrue();
    }

    @Test
    void ofTwoThatDisagreeTheOneWithNewsIsBelieved() {
        allName(OLD);
        named.forget(2);
        assertThat(named.announced(0, NEW)).isTrue();
    }

    @Test
    void oneThatSleptAndIsHeardFirstDecidesNothing() {
        assertThat(answer(0, OLD)).isFalse();
        assertThat(answer(1, NEW)).isFalse();
        assertThat(answer(2, NEW)).isTrue();
    }

    @Test
    void anAnswerAloneIsNoNewsIfOthersDisagree() {
        answer(0, NEW);
        assertThat(answer(1, OLD)).isFalse();
        assertThat(answer(2, NEW)).isTrue();
    }

    @Test
    void anAnnouncementIsNewerThanAnAnswerThatWasAskedForBefore() {
        long before = named.announcementsOf(0);
        named.announced(0, NEW);
        assertThat(named.answered(0, before, OLD)).isFalse();
        assertThat(answer(1, OLD)).as("one says this, one that").isFalse();
    }
}
