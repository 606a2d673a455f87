package dev.holdfast.proving.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogReader;
import dev.holdfast.proving.log.LogWriter;
import dev.holdfast.proving.machine.Resource;
import dev.holdfast.proving.subject.Belief;
import dev.holdfast.proving.subject.HeldLock;
import dev.holdfast.proving.subject.LockClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client writes down about a library that says this or that. */
class WorkerTest {
    @TempDir
    Path folder;

    /** Gives the lock away once; who asks about it is told that it is not held. */
    private static final class TooLate implements LockClient {
        private final CountDownLatch released = new CountDownLatch(1);

        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) {
            return released.getCount() == 0
                    ? Optional.empty()
                    : Optional.of(new HeldLock() {
                        @Override
                        public Belief belief() {
                            return Belief.LOST;
                        }

                        @Override
                        public boolean release() {
                            released.countDown();
                            return false;
                        }
                    });
        }

        @Override
        public void close() {}
    }

    // An answer that came when the lease was over. The first question says so, before any work: from then on nobody
    // believes.
    @Test
    void theAnswerToTheFirstQuestionIsANotice() throws Exception {
        TooLate locks = new TooLate();
        try (Resource resource = new Resource();
                LogWriter log = new LogWriter(folder.resolve("a1.log"));
                LogWriter runner = new LogWriter(folder.resolve("runner.log"));
                ResourceClient client = new ResourceClient(resource.port())) {
            resource.open("name", runner);
            Worker worker =
                    new Worker(locks, "a1", "name", Duration.ofSeconds(1), new Random(1), log, client, report -> {});
            // Long work: it does not end because somebody was told.
            worker.orderLongWork(200);
            Thread thread = new Thread(worker);
            thread.start();
            assertThat(locks.released.await(20, TimeUnit.SECONDS)).isTrue();
            worker.stop();
            thread.join();
        }

        List<Event> events = LogReader.readFolder(folder);
        assertThat(events.stream().filter(each -> each.section() == 1).map(Event::kind))
                .startsWith(Kind.ATTEMPT, Kind.GRANT, Kind.TOLD, Kind.READ);
    }
}
