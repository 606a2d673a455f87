package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Readers hold it together, a writer holds it alone. */
interface ReadWriteLockContract {
    @Test
    default void readersHoldItTogetherAndAWriterAlone(Bench bench) {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("together");
        Client client = bench.client();
        Client other = bench.client();
        Held first = client.take(bench.claim(key).forReading());
        Held second = client.take(bench.claim(key).forReading());
        Held third = other.take(bench.claim(key).forReading());
        Answer.Busy busy = other.busy(bench.claim(key));
        assertThat(busy.queued())
                .as("a claim that did not ask for a place in the queue")
                .isFalse();
        assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(Bench.LONG.plusSeconds(1));
        for (Held each : List.of(second, first, third)) {
            other.busy(bench.claim(key));
            each.requireKept();
            assertThat(each.release()).isTrue();
            assertThat(each.release()).as("released twice").isFalse();
        }
        Held writer = other.take(bench.claim(key));
        client.busy(bench.claim(key));
        client.busy(bench.claim(key).forReading());
        writer.requireKept();
        assertThat(writer.release()).isTrue();
        client.take(bench.claim(key).forReading());
    }

    @Test
    default void readersAndWritersTakeTheirTokensFromOneCounter(Bench bench) {
        // A reader's tokens are above those of all writers before it, and below those of all writers after it.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("tokens");
        Client client = bench.client();
        Client other = bench.client();
        Held writer = client.take(bench.claim(key, Bench.LONG, 16, false));
        for (int round = 0; round < 3; round++) {
            assertThat(writer.release()).isTrue();
            Held first = client.take(bench.claim(key, Bench.LONG, 1, false).forReading());
            Held second = other.take(bench.claim(key).forReading());
            Held third = client.take(bench.claim(key).forReading());
            for (Held reader : List.of(second, third, first)) {
                reader.requireAbove(writer);
                assertThat(reader.release()).isTrue();
            }
            Held next = other.take(bench.claim(key, Bench.LONG, 1 + 7 * round, false));
            for (Held reader : List.of(first, second, third)) {
                next.requireAbove(reader);
            }
            writer = next;
        }
    }

    @Test
    default void ofManyClaimsAtOnceAWriterIsNeverGrantedBesideAnybody(Bench bench) throws Exception {
        // Three readers and three writers ask at the same moment, many times over.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        List<Client> clients = bench.clients(6);
        for (int round = 0; round < 10; round++) {
            String key = bench.readWriteLock("race-" + round);
            List<Callable<String>> asks = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Client client = clients.get(i);
                boolean reads = (i + round) % 2 == 0;
                Claim claim = reads ? bench.claim(key).forReading() : bench.claim(key);
                asks.add(() -> client.ask(claim) instanceof Answer.Granted ? reads ? "reads" : "writes" : "nothing");
            }
            List<String> granted = bench.together(asks);
            assertThat(granted).as("in round %d", round).containsAnyOf("reads", "writes");
            if (granted.contains("writes")) {
                assertThat(Collections.frequency(granted, "writes")).isEqualTo(1);
                assertThat(granted).as("in round %d", round).doesNotContain("reads");
            }
        }
    }

    @Test
    default void aResentClaimOfAReaderOrWriterIsAnsweredWithTheSameGrant(Bench bench) throws Exception {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        Client client = bench.client();
        for (boolean reads : List.of(true, false)) {
            String key = bench.readWriteLock("resent " + reads);
            Claim claim = reads ? bench.queueing(key).forReading() : bench.queueing(key);
            Held held = client.take(claim);
            held.requireSame(client.acquire(claim));
            Callable<Grant> ask = () -> client.acquire(claim);
            bench.together(Collections.nCopies(4, ask)).forEach(held::requireSame);
            assertThat(client.holders(key)).hasSize(1);
            assertThat(held.release()).isTrue();
            assertThat(client.holders(key)).isEmpty();
        }
    }

    @Test
    default void aReaderThatAsksWhileItIsServedReadsOnce(Bench bench) throws Exception {
        // The writer lets go while the one who waits to read asks again. One release must be enough for the next
        // writer.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        Client writer = bench.client();
        Client reader = bench.client();
        for (int round = 0; round < 10; round++) {
            String key = bench.readWriteLock("served-" + round);
            Held written = writer.take(bench.claim(key));
            Claim claim = bench.queueing(key).forReading();
            reader.busy(claim);
            List<Callable<Boolean>> steps = new ArrayList<>(
                    List.of(written::release, () -> reader.ask(claim) != null, () -> reader.ask(claim) != null));
            Collections.rotate(steps, round);
            assertThat(bench.together(steps)).containsOnly(true);
            Held served = reader.takeSoon(claim);
            served.requireAbove(written);
            assertThat(writer.holders(key)).as("readers after round %d", round).hasSize(1);
            assertThat(served.release()).isTrue();
            writer.take(bench.claim(key)).requireAbove(served);
        }
    }

    @Test
    default void readersAndWritersAreRenewedEachByItself(Bench bench) {
        // Two readers, one that has left, and a writer elsewhere. The right owner with another token is another grant.
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("batch");
        Client client = bench.client();
        Held first = client.take(bench.claim(key).forReading());
        Held left = client.take(bench.claim(key).forReading());
        Held last = client.take(bench.claim(key).forReading());
        Held writer = client.take(bench.claim(bench.readWriteLock("written")));
        assertThat(left.release()).isTrue();
        Holding right = last.holding();
        Holding mistaken =
                new Holding(key, right.owner(), right.lastToken() + 1, right.lease(), right.slot(), right.shared());
        List<Renewal> answers = client.renew(List.of(right, left.holding(), writer.holding(), first.holding()));
        assertThat(answers.stream().<Class<?>>map(Object::getClass).toList())
                .containsExactly(
                        Renewal.Renewed.class, Renewal.Gone.class, Renewal.Renewed.class, Renewal.Renewed.class);
        assertThat(client.renew(mistaken)).isInstanceOf(Renewal.Gone.class);
        last.requireKept();
    }

    @Test
    default void readersAreShownOldestFirstAndAWriterAlone(Bench bench) {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("shown");
        Client client = bench.client();
        List<Held> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(bench.client().take(bench.describedAs(bench.claim(key).forReading(), "reader " + i)));
        }
        assertThat(readers.remove(1).release()).isTrue();
        requireShown(readers, client.holders(key));
        requireShown(readers, client.answerOf(client.backend.list(key, 10)));
        requireShown(readers.subList(0, 2), client.answerOf(client.backend.list(key, 2)));
        readers.forEach(Held::release);
        assertThat(client.holders(key)).isEmpty();
        requireShown(List.of(client.take(bench.claim(key))), client.holders(key));
    }

    private static void requireShown(List<Held> expected, List<LockState> states) {
        assertThat(states).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            expected.get(i).requireShownBy(states.get(i));
        }
    }

    @Test
    default void breakingEndsOnlyTheReaderThatWasSeen(Bench bench) {
        if (Kinds.refused(LockKind.READ_WRITE_LOCK, bench)) {
            return;
        }
        String key = bench.readWriteLock("break");
        Held first = bench.client().take(bench.claim(key).forReading());
        Held second = bench.client().take(bench.claim(key).forReading());
        Client operator = bench.client();
        assertThat(operator.answerOf(operator.backend.breakLock(key, bench.owner(), 0)))
                .isEmpty();
        assertThat(first.breakBy(operator)).hasValueSatisfying(first::requireShownBy);
        assertThat(first.breakBy(operator)).isEmpty();
        first.requireGone();
        assertThat(first.release()).isFalse();
        second.requireKept();
        operator.busy(bench.claim(key));
        assertThat(second.breakBy(operator)).isPresent();
        operator.take(bench.claim(key)).requireAbove(second);
    }
}
