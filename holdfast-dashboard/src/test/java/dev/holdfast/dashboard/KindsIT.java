package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.dashboard.web.Browser;
import dev.holdfast.dashboard.web.InBrowser;
import dev.holdfast.dashboard.web.Page;
import dev.holdfast.memory.InMemoryBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Semaphores and read-write locks in a real browser. */
@InBrowser
@Timeout(600)
class KindsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path FOLDER = Path.of("target", "pictures");

    @RegisterExtension
    static final Browser browser = new Browser();

    private final InMemoryBackend store = new InMemoryBackend();
    private final Holdfast first = holdfast(store, "nightly export");
    private final Holdfast second = holdfast(store.another(), "monthly export");
    private final Dashboard dashboard = Dashboard.builder(first).start();

    private static Holdfast holdfast(InMemoryBackend backend, String description) {
        return Holdfast.builder(backend)
                .describedAs(description)
                .lease(PATIENCE)
                .closeGrace(Duration.ZERO)
                .build();
    }

    @AfterEach
    void stop() {
        dashboard.close();
        second.close();
        first.close();
    }

    private static String rows(String name) {
        return "[...document.querySelectorAll('.row:not([hidden])')].filter(row => row.querySelector('.name').textContent === '"
                + name + "').map(row => row.querySelector('.c-name').innerText.replace(/\\s+/g, ' ')).join('; ')";
    }

    @Test
    void theSlotsOfASemaphoreAreShownAndBrokenOneByOne() throws Exception {
        // Two processes hold a permit each, one more waits. The second slot is broken with the mouse and goes to who
        // waits.
        Lease zero = first.semaphore("exports", 2).acquire(PATIENCE);
        Lease one = second.semaphore("exports", 2).acquire(PATIENCE);
        Lease lock = first.lock("exports").acquire(PATIENCE);
        try (Holdfast third = holdfast(store.another(), "waits");
                Page page = browser.open(dashboard.newLink("alice"))) {
            CompletableFuture<Lease> waits = third.semaphore("exports", 2).acquireAsync();
            page.size(1200, 800);
            page.until(rows("exports") + " === 'exports; exports semaphore · slot 0; exports semaphore · slot 1'");
            page.screenshot(FOLDER.resolve("kinds.png"));
            page.evaluate("location.hash = '#/semaphore/exports'");
            page.untilText("#queue", "waits");
            assertThat(page.text("#holder")).contains("Slot 0", "nightly export", "Slot 1", "monthly export");
            page.screenshot(FOLDER.resolve("semaphore.png"));
            page.click(".holder:nth-child(2) button");
            page.untilText("#dialog", "slot 1");
            page.type("exports");
            page.until("!document.getElementById('confirm').disabled");
            page.click("#confirm");
            assertThat(waits.get().slot()).isEqualTo(1);
            page.untilText("#history", "slot 1 broken by alice");
            page.untilText("#holder", "waits");
            assertThat(first.inspect(LockKey.semaphore("exports")))
                    .extracting(state -> state.holder().description())
                    .containsExactly("nightly export", "waits");
            assertThat(first.inspect("exports")).isPresent();
            assertThat(page.problems()).isEmpty();
        }
        List.of(zero, one, lock).forEach(Lease::close);
    }

    @Test
    void readersStandSideBySideAndGoOneByOne() throws Exception {
        // Two processes read. One ends: its row goes, the other's stays.
        Lease kept = first.readWriteLock("catalog").read().acquire(PATIENCE);
        Lease ends = second.readWriteLock("catalog").read().acquire(PATIENCE);
        try (Page page = browser.open(dashboard.newLink())) {
            page.until(rows("catalog") + " === 'catalog read-write lock · reader; catalog read-write lock · reader'");
            page.evaluate("location.hash = '#/read-write-lock/catalog'");
            page.until("document.querySelectorAll('#holder .holder').length === 2");
            ends.close();
            page.until("document.querySelectorAll('#holder .holder').length === 1");
            assertThat(page.text("#holder")).contains("Reader", "nightly export");
            kept.close();
            page.untilText("#holder", "Nobody holds this read-write lock now");
            Lease writes = second.readWriteLock("catalog").write().acquire(PATIENCE);
            page.untilText("#holder", "Writer");
            assertThat(page.problems()).isEmpty();
            writes.close();
        }
        await().atMost(PATIENCE)
                .until(() -> first.inspect(LockKey.readWriteLock("catalog")).isEmpty());
    }
}
