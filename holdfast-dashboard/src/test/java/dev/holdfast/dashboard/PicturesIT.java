package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.dashboard.web.Browser;
import dev.holdfast.dashboard.web.InBrowser;
import dev.holdfast.dashboard.web.Page;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Takes the pictures of the documents, light, dark and narrow, and sees that nothing overflows. */
@InBrowser
@Timeout(900)
class PicturesIT {
    private static final Path FOLDER = Path.of("target", "pictures");

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @RegisterExtension
    static final Browser browser = new Browser();

    @Test
    void everyPageInLightAndDarkAndOnANarrowScreen() throws Exception {
        ShownBackend store = new ShownBackend();
        // Seen first as they were just after a renewal.
        store.shown = Scene.locks(true);
        try (Holdfast holdfast = Holdfast.over(store.backend());
                Dashboard dashboard = Dashboard.builder(holdfast)
                        .label("redlock://redis-a:6379,redis-b:6379,redis-c:6379")
                        .start();
                Page page = browser.open(dashboard.newLink("alice"))) {
            page.size(1200, 700);
            page.untilText("#table", "invoice-42");
            store.shown = Scene.locks(false);
            page.untilText("#table", "21 s");
            both(page, "locks");
            page.size(400, 700);
            page.until("innerWidth === 400");
            fits(page);
            both(page, "locks-narrow");
            page.size(1200, 700);
            page.evaluate("location.hash = '#/lock/invoice-42'");
            page.untilText("#history", "began to look");
            both(page, "lock");
            page.click("#break");
            page.type("invoice-42");
            both(page, "break");
            page.press("Escape");
            page.size(400, 900);
            page.until("innerWidth === 400");
            fits(page);
            both(page, "lock-narrow");
            assertThat(page.problems()).isEmpty();
        }
    }

    @Test
    void thePageAboutTheStore() throws Exception {
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(redis.url()));
                Dashboard dashboard = Dashboard.builder(holdfast)
                        .label(redis.url())
                        .pause(Duration.ofMillis(100))
                        .start();
                Page page = browser.open(dashboard.newLink())) {
            page.size(1200, 700);
            page.untilText("#status", "Live");
            page.evaluate("new Promise(done => setTimeout(done, 2000))");
            page.evaluate("location.hash = '#/store'");
            page.untilText("#findings", "redis.server");
            page.untilText("#page-store", "yes, in");
            both(page, "store");
            assertThat(page.problems()).isEmpty();
        }
    }

    private static void both(Page page, String name) throws Exception {
        for (String scheme : List.of("light", "dark")) {
            page.colours(scheme);
            page.evaluate(
                    "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 400))");
            page.screenshot(FOLDER.resolve(name + "-" + scheme + ".png"));
        }
    }

    private static void fits(Page page) {
        page.until("document.documentElement.scrollWidth <= innerWidth");
    }
}
