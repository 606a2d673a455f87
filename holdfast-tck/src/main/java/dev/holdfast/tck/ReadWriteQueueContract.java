package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers and writers stand in one line. */
interface ReadWriteQueueContract {
    @Test
    default void aReaderStandsBehindAWaitingWriterWhereTheStoreIsFair(Bench bench) throws Exception {
        // Two read, a writer waits, another reader comes. The last of the two lets the writer in, and that the reader.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.readWriteLock(label + "behind");
            Held first = bench.client().take(bench.claim(key).forReading());
            Held second = bench.client().take(bench.claim(key).forReading());
            Client writer = bench.client();
            Claim writing = bench.queueing(key);
            writer.busy(writing);
            Client reader = bench.client();
            Claim reading = bench.queueing(key).forReading();
            if (bench.isFair()) {
                assertThat(reader.ask(bench.claim(key).forReading()))
                        .as("a reader that does not wait, behind a writer that does")
                        .isInstanceOf(Answer.Busy.class);
                reader.busy(reading);
                assertThat(reader.state(key).waiters()).hasSize(2);
            }
            assertThat(first.release()).isTrue();
            writer.busy(writing);
            if (bench.isFair()) {
                reader.busy(reading);
            }
            assertThat(second.release()).isTrue();
            Held written = writer.takeTurn(writing);
            written.requireAbove(first);
            written.requireAbove(second);
            reader.busy(reading);
            assertThat(written.release()).isTrue();
            reader.takeTurn(reading).requireAbove(written);
        });
    }

    @Test
    default void aWriterThatEndsServesAllReadersUpToTheNextWriter(Bench bench) throws Exception {
        // Three readers, a writer and a reader wait for a writer.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.readWriteLock(label + "served");
            Held written = bench.client().take(bench.claim(key));
            List<Client> readers = bench.clients(3);
            List<Claim> readings = new ArrayList<>();
            for (Client each : readers) {
                Claim reading = bench.queueing(key).forReading();
                each.busy(reading);
                readings.add(reading);
            }
            Client writer = bench.client();
            Claim writing = bench.queueing(key);
            writer.busy(writing);
            Client behind = bench.client();
            Claim last = bench.queueing(key).forReading();
            behind.busy(last);
            assertThat(written.release()).isTrue();
            List<Held> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(readers.get(i).takeTurn(readings.get(i)));
                held.get(i).requireAbove(written);
            }
            assertThat(writer.holders(key)).hasSize(3);
            if (bench.isFair()) {
                writer.busy(writing);
                behind.busy(last);
                for (Held each : held) {
                    each.requireKept();
                    assertThat(writer.wasPushed(writing)).isFalse();
                    assertThat(each.release()).isTrue();
                }
                Held next = writer.takeTurn(writing);
                held.forEach(next::requireAbove);
                assertThat(writer.holders(key)).hasSize(1);
                assertThat(next.release()).isTrue();
                behind.takeTurn(last).requireAbove(next);
            }
        });
    }

    @Test
    default void aReaderThatExpiresLetsTheWriterIn(Bench bench) throws Exception {
        // One of two readers goes on reading, then it leaves; the other one is never heard of again.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        Client silent = bench.client();
        Client reader = bench.client();
        Client writer = bench.client();
        bench.inTime(bench.lease(), lease -> {
            String key = bench.readWriteLock("expires after " + lease);
            Held reading = reader.take(bench.claim(key).forReading());
            Grant ending = silent.acquire(bench.claim(key, lease, 1, false).forReading());
            Claim writing = bench.queueing(key);
            writer.busy(writing);
            assertThat(reading.release()).isTrue();
            if (bench.now() - ending.validUntilNanos() >= 0) {
                writer.takeSoon(writing);
                return false;
            }
            Held written = writer.takeSoon(writing);
            assertThat(bench.now() - ending.validUntilNanos())
                    .as("nanoseconds after the end of the reader's lease")
                    .isNotNegative();
            assertThat(written.firstToken()).isGreaterThan(ending.lastToken());
            written.requireKept();
            return true;
        });
    }

    @Test
    default void aWriterThatExpiresLetsReadersInAndCannotComeBack(Bench bench) {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("expired writer");
        Held expired = bench.client().take(bench.brief(key));
        List<Client> readers = bench.clients(2);
        Held first = readers.get(0).takeSoon(bench.queueing(key).forReading());
        assertThat(bench.now() - expired.grant().validUntilNanos())
                .as("nanoseconds after the end of the writer's lease")
                .isNotNegative();
        Held second = readers.get(1).take(bench.claim(key).forReading());
        expired.requireGone();
        assertThat(expired.release()).isFalse();
        expired.client().withdraw(expired.claim());
        first.requireAbove(expired);
        first.requireKept();
        second.requireAbove(expired);
        second.requireKept();
    }

    @Test
    default void aWriterThatGivesUpLetsTheReadersBehindItIn(Bench bench) throws Exception {
        // And a reader that was granted its share when it gave up lets the writer in.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.readWriteLock(label + "gives up");
            Held first = bench.client().take(bench.claim(key).forReading());
            Client writer = bench.client();
            Claim unwanted = bench.queueing(key);
            writer.busy(unwanted);
            Client reader = bench.client();
            Claim reading = bench.queueing(key).forReading();
            Held second;
            if (bench.isFair()) {
                reader.busy(reading);
                writer.withdraw(unwanted);
                second = reader.takeTurn(reading);
            } else {
                writer.withdraw(unwanted);
                second = reader.take(reading);
            }
            assertThat(writer.wasPushed(unwanted)).isFalse();
            assertThat(reader.state(key).waiters()).isEmpty();
            Claim wanted = bench.queueing(key);
            writer.busy(wanted);
            assertThat(first.release()).isTrue();
            reader.withdraw(reading);
            Held written = writer.takeTurn(wanted);
            written.requireAbove(second);
            second.requireGone();
            assertThat(writer.holders(key)).hasSize(1);
        });
    }

    @Test
    default void breakingTheLastReaderServesTheWriter(Bench bench) throws Exception {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.readWriteLock(label + "broken");
            Held reader = bench.client().take(bench.claim(key).forReading());
            Client writer = bench.client();
            Claim writing = bench.queueing(key);
            writer.busy(writing);
            assertThat(reader.breakBy(bench.client())).isPresent();
            writer.takeTurn(writing).requireAbove(reader);
            reader.requireGone();
        });
    }

    @Test
    default void aWriterCanEndAndReadAnewInOneStep(Bench bench) throws Exception {
        // The readers that wait are let in with it; a writer that waits goes first, where the store is fair.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.readWriteLock(label + "again");
            Client client = bench.client();
            Held written = client.take(bench.claim(key));
            Client reader = bench.client();
            Claim reading = bench.queueing(key).forReading();
            reader.busy(reading);
            Claim again = bench.queueing(key).forReading();
            Answer answer = client.releaseAndClaim(written.holding(), again);
            assertThat(answer).isInstanceOf(Answer.Granted.class);
            Held first = new Held(client, again, ((Answer.Granted) answer).grant());
            Held second = reader.takeTurn(reading);
            first.requireAbove(written);
            second.requireAbove(written);
            if (bench.isFair()) {
                Client writer = bench.client();
                Claim writing = bench.queueing(key);
                writer.busy(writing);
                assertThat(second.release()).isTrue();
                Claim behind = bench.queueing(key).forReading();
                assertThat(client.releaseAndClaim(first.holding(), behind)).isInstanceOf(Answer.Busy.class);
                Held next = writer.takeTurn(writing);
                next.requireAbove(first);
                assertThat(next.release()).isTrue();
                client.takeTurn(behind).requireAbove(next);
            }
        });
    }

    @Test
    default void aDeadWriterInTheLineKeepsNobodyWaitingForLong(Bench bench) {
        // It waited in front of a reader, and is gone without a word. Then the one who reads leaves.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("dead writer");
        Held reading = bench.client().take(bench.claim(key).forReading());
        Client dead = bench.client();
        dead.busy(bench.claim(key, bench.lease(), 1, true));
        dead.close();
        Client next = bench.client();
        Claim claim = bench.queueing(key).forReading();
        next.ask(claim);
        assertThat(reading.release()).isTrue();
        next.takeSoon(claim).requireKept();
    }

    @Test
    default void aWriterThatIsReleasedLaterKeepsReadersOutUntilThenAndNoLonger(Bench bench) {
        // Where the store declares that it can keep them: see MinimumHoldContract.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)
                || !bench.guarantees().heldAtLeast()) {
            return;
        }
        String key = bench.readWriteLock("later");
        Client client = bench.client();
        Held written = client.take(bench.claim(key));
        Client reader = bench.client();
        Claim claim = bench.queueing(key).forReading();
        reader.busy(claim);
        Duration keep = bench.lease();
        long sent = bench.now();
        assertThat(client.answerOf(client.backend.releaseLater(written.holding(), keep)))
                .isTrue();
        Held read = reader.takeSoon(claim);
        assertThat(bench.now() - sent)
                .as("nanoseconds for which it was kept")
                .isGreaterThanOrEqualTo(keep.toNanos() - Validity.driftNanos(keep));
        read.requireAbove(written);
        written.requireGone();
    }
}
