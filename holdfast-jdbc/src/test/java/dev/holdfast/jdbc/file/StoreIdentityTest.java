package dev.holdfast.jdbc.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class StoreIdentityTest {
    @Test
    void whoeverComesSecondKnowsWhatHappenedToo() throws Exception {
        // One thread looked at the file and was about to say why it is gone, while another one released a lock there.
        // That
        // one found no store and no reason: the holder was told that somebody had broken its lock.
        CountDownLatch comparing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        StoreIdentity identity = new StoreIdentity();
        identity.adopt(new SlowToCompare(comparing, goOn), "");
        Thread looking = new Thread(() -> identity.adopt(null, "it was deleted"));
        looking.start();
        assertThat(comparing.await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<String> heard = new CompletableFuture<>();
        Thread releasing = new Thread(() -> {
            identity.adopt(null, "it was deleted");
            heard.complete(String.valueOf(identity.replacement()));
        });
        releasing.start();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> heard.isDone() || releasing.getState() == Thread.State.WAITING);
        goOn.countDown();
        assertThat(heard.get(30, TimeUnit.SECONDS)).isEqualTo("it was deleted");
        looking.join();
    }

    private record SlowToCompare(CountDownLatch comparing, CountDownLatch goOn) {
        @Override
        public boolean equals(Object other) {
            comparing.countDown();
            try {
                return goOn.await(60, TimeUnit.SECONDS) && this == other;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }
}
