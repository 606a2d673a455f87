package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** Readers together, writers alone, everybody in the order in which they came. */
class ReadWriteLockTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = open(backend);
    private final DistributedReadWriteLock catalog = holdfast.readWriteLock("catalog");
    private final DistributedReadWriteLock elsewhere = open(backend.another()).readWriteLock("catalog");

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client).environment(time).cohort(3).build();
    }

    private List<LockState> holders() throws InterruptedException {
        return holdfast.inspect(LockKey.readWriteLock("catalog"));
    }

    @Test
    void readersReadTogetherAndAWriterWaitsForTheLastOfThem() throws Exception {
        Lease one = catalog.read().tryAcquire().orElseThrow();
        Lease two = catalog.read().tryAcquire().orElseThrow();
        Lease three = elsewhere.read().tryAcquire().orElseThrow();
        // The readers of one process share what it holds.
        assertThat(holders()).hasSize(2).allMatch(LockState::shared);
        assertThat(holdfast.activity().held()).isEqualTo(2);
        CompletableFuture<Lease> writer = elsewhere.write().acquireAsync();
        one.close();
        three.close();
        assertThat(two.isValid()).isTrue();
        assertThat(writer).isNotDone();
        two.close();
        assertThat(writer).isCompleted();
        assertThat(catalog.read().tryAcquire()).isEmpty();
        assertThat(catalog.write().tryAcquire()).isEmpty();
        writer.join().close();
        assertThat(catalog.write().tryAcquire()).isPresent();
    }

    @Test
    void whoComesAfterAWaitingWriterStandsBehindIt() throws Exception {
        Lease reading = catalog.read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> writer = elsewhere.write().acquireAsync();
        CompletableFuture<Lease> late = elsewhere.read().acquireAsync();
        reading.close();
        assertThat(writer).isCompleted();
        assertThat(late).isNotDone();
        writer.join().close();
        assertThat(late).isCompleted();
    }

    @Test
    void readersOfAProcessThatReadsAlreadyPassAWriterElsewhereOnlyAsLongAsTheirTenureHasTokens() throws Exception {
        // Three leases here, the size of the cohort. Without a bound a stream of readers would starve the writer.
        Lease first = catalog.read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> writer = elsewhere.write().acquireAsync();
        Lease second = catalog.read().tryAcquire().orElseThrow();
        Lease third = catalog.read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> fourth = catalog.read().acquireAsync();
        assertThat(fourth).isNotDone();
        List.of(first, second, third).forEach(Lease::close);
        assertThat(writer).isCompleted();
        assertThat(fourth).isNotDone();
        writer.join().close();
        assertThat(fourth).isCompleted();
    }

    @Test
    void aWritersEndServesAllReadersUpToTheNextWriter() throws Exception {
        Lease writing = elsewhere.write().tryAcquire().orElseThrow();
        List<CompletableFuture<Lease>> readers =
                List.of(catalog.read().acquireAsync(), catalog.read().acquireAsync());
        CompletableFuture<Lease> next = catalog.write().acquireAsync();
        CompletableFuture<Lease> behind = catalog.read().acquireAsync();
        writing.close();
        assertThat(readers).allSatisfy(reader -> assertThat(reader).isCompleted());
        assertThat(next).isNotDone();
        readers.forEach(reader -> reader.join().close());
        assertThat(next).isCompleted();
        assertThat(behind).isNotDone();
        next.join().close();
        assertThat(behind).isCompleted();
    }

    @Test
    void tokensOrderReadersBetweenTheWritersAroundThem() throws Exception {
        Lease before = catalog.write().tryAcquire().orElseThrow();
        before.close();
        Lease one = elsewhere.read().tryAcquire().orElseThrow();
        Lease two = catalog.read().tryAcquire().orElseThrow();
        one.close();
        two.close();
        Lease after = elsewhere.write().tryAcquire().orElseThrow();
        assertThat(List.of(one.token(), two.token())).allSatisfy(token -> {
            assertThat(token).isGreaterThan(before.token());
            assertThat(token).isLessThan(after.token());
        });
        assertThat(one.token()).isNotEqualTo(two.token());
    }

    @Test
    void aReaderThatDiesKeepsWritersWaitingForItsLeaseAndNoLonger() throws Exception {
        catalog.read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> writer = elsewhere.write().acquireAsync();
        backend.controls().disconnect();
        time.advance(SECOND.multipliedBy(29));
        assertThat(writer).isNotDone();
        time.advance(SECOND.multipliedBy(2));
        assertThat(writer).isCompleted();
    }

    @Test
    void allReadersOfALostTenureAreTold() throws Exception {
        List<Loss> losses = new ArrayList<>();
        Lease one = catalog.read().tryAcquire().orElseThrow();
        Lease two = catalog.read().tryAcquire().orElseThrow();
        one.onLost(losses::add);
        two.onLost(losses::add);
        backend.controls().lose(LockKey.readWriteLock("catalog"));
        assertThat(losses).extracting(Loss::token).containsExactlyInAnyOrder(one.token(), two.token());
        one.close();
        two.close();
        assertThat(catalog.write().tryAcquire()).isPresent();
    }

    @Test
    void aLostTenureIsGivenBackWhenTheLastOfItsReadersIsDone() throws Exception {
        // The store still keeps it, because a renewal was carried out whose answer never came. The other reader may
        // still be reading.
        Lease one = catalog.read().tryAcquire().orElseThrow();
        Lease two = catalog.read().tryAcquire().orElseThrow();
        backend.controls().pause();
        time.advance(Duration.ofMillis(29_800));
        assertThat(one.isValid()).isFalse();
        var first = one.releaseAsync();
        assertThat(elsewhere.write().tryAcquire()).isEmpty();
        var second = two.releaseAsync();
        assertThat(elsewhere.write().tryAcquire()).isPresent();
        assertThat(List.of(first, second)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aReadersBoundEndsItsLeaseAndNotThoseBesideIt() throws Exception {
        Lease bounded = catalog.read().heldAtMost(SECOND).tryAcquire().orElseThrow();
        Lease beside = catalog.read().tryAcquire().orElseThrow();
        time.advance(SECOND.multipliedBy(40));
        assertThat(bounded.isValid()).isFalse();
        assertThat(beside.isValid()).isTrue();
        assertThat(elsewhere.write().tryAcquire()).isEmpty();
        bounded.close();
        beside.close();
        assertThat(elsewhere.write().tryAcquire()).isPresent();
    }

    @Test
    void aFixedReadLeaseIsNotSharedAndNotRenewed() throws Exception {
        Lease fixed = catalog.read().fixed().tryAcquire().orElseThrow();
        Lease renewed = catalog.read().tryAcquire().orElseThrow();
        assertThat(holders()).hasSize(2);
        time.advance(SECOND.multipliedBy(31));
        assertThat(fixed.isValid()).isFalse();
        assertThat(renewed.isValid()).isTrue();
    }

    @Test
    void readersHaveNoMinimum() throws Exception {
        assertThatThrownBy(() -> catalog.read().heldAtLeast(SECOND))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("by readers");
        Lease reading = catalog.read().tryAcquire().orElseThrow();
        assertThatThrownBy(() -> reading.releaseAsync(SECOND)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(reading.isValid()).isTrue();
        reading.close();
        assertThat(catalog.write().heldAtLeast(SECOND).tryAcquire()).isPresent();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // What happens in between is the test.
    void theTwoSidesAreTwoLocksForCodeThatWantsAJdkLock() {
        Lock read = catalog.read().asLock();
        Lock write = catalog.write().asLock();
        read.lock();
        read.lock();
        assertThat(write.tryLock()).isFalse();
        read.unlock();
        assertThat(write.tryLock()).isFalse();
        read.unlock();
        assertThat(write.tryLock()).isTrue();
        assertThat(read.tryLock()).isFalse();
        write.unlock();
    }

    @Test
    void aClosedHoldfastLosesAllItsReaders() throws Exception {
        Lease one = catalog.read().tryAcquire().orElseThrow();
        Lease two = catalog.read().tryAcquire().orElseThrow();
        holdfast.close();
        assertThat(one.isValid()).isFalse();
        assertThat(two.isValid()).isFalse();
        assertThat(elsewhere.write().tryAcquire()).isEmpty();
        time.advance(SECOND.multipliedBy(31));
        assertThat(elsewhere.write().tryAcquire()).isPresent();
    }
}
