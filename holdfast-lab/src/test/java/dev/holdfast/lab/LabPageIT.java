package dev.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.dashboard.web.Browser;
import dev.holdfast.dashboard.web.InBrowser;
import dev.holdfast.dashboard.web.Page;
import dev.holdfast.lab.wire.Resp;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The page of the lab in a real browser: each story is played by its button, and the page shows how it ended. */
@InBrowser
@Timeout(900)
class LabPageIT {
    private static final Path PICTURES = Path.of("target", "pictures");

    @RegisterExtension
    static final Browser browser = new Browser();

    private static Lab lab;
    private Page page;

    @BeforeAll
    static void start() throws Exception {
        lab = Lab.start(0, Duration.ZERO);
    }

    @AfterAll
    static void stop() throws Exception {
        lab.close();
    }

    @BeforeEach
    void open() {
        page = browser.open(lab.link());
        page.size(1280, 1000);
        page.until("document.querySelectorAll('.story').length === 5");
    }

    @AfterEach
    void close() {
        assertThat(page.problems()).isEmpty();
        page.close();
    }

    private void play(String story) {
        int before = stories();
        page.click("[data-story=" + story + "] button");
        ended(story, before);
    }

    /** How many have been played so far. */
    private int stories() {
        return page.evaluate(
                        "Math.max(0, ...[...document.querySelectorAll('.story')].map(e => Number(e.dataset.number)))")
                .getAsInt();
    }

    private void ended(String story, int before) {
        String card = "document.querySelector('[data-story=" + story + "]').dataset";
        page.until(card + ".number > " + before + " && ['as_told', 'failed'].includes(" + card + ".state)");
        assertThat(page.text("[data-story=" + story + "]")).doesNotContain("Not as told");
        page.until("document.body.dataset.playing === 'no'");
    }

    private void untilBalance(String lane, String balance, String verdict) {
        page.untilText(".account." + lane + " .sum", balance);
        page.untilText(".account." + lane + " .sum", verdict);
    }

    @Test
    void handOver() {
        play("hand-over");
        untilBalance("holdfast", "130", "right");
        untilBalance("plain", "130", "right");
        page.untilText("[data-story=hand-over] .facts .holdfast", "The token grew with every holder");
    }

    @Test
    void serverLost() {
        play("server-lost");
        page.untilText("[aria-label='Server 5'] .status", "dead");
        page.untilText("[aria-label='Server 4'] .status", "frozen");
        untilBalance("holdfast", "130", "right");
        page.untilText("[data-story=server-lost] .facts .holdfast", "3 of 5 votes");
    }

    @Test
    void fastClockInLightAndDark() throws Exception {
        play("fast-clock");
        page.untilText("[aria-label='Client A'] .holdfast", "holds token");
        page.untilText("[aria-label='Client B'] .holdfast", "holds token");
        page.untilText(".account.holdfast .about", "Stale writes refused: 1");
        untilBalance("holdfast", "120", "right");
        untilBalance("plain", "110", "wrong");
        page.untilText("[data-story=fast-clock] .facts .plain", "a deposit is lost");
        both("lab");
        page.size(400, 900);
        page.until("innerWidth === 400 && document.documentElement.scrollWidth <= innerWidth");
        both("lab-narrow");
    }

    @Test
    void pausedHolderWithAndWithoutTheGuard() throws Exception {
        play("paused-holder");
        page.untilText(".account.holdfast .about", "Stale writes refused: 1");
        untilBalance("holdfast", "120", "right");
        untilBalance("plain", "110", "wrong");
        both("lab-paused-holder");
        page.click("#guard");
        page.until("!document.querySelector('#guard').checked");
        page.untilText("#lines-list", "its guard is off");
        play("paused-holder");
        untilBalance("holdfast", "110", "wrong");
        page.click("#guard");
        // Other lines may have come since: of those about the guard it is the newest.
        page.until("[...document.querySelectorAll('#lines-list li')].map(line => line.textContent)"
                + ".find(text => text.includes('its guard is')).includes('its guard is on')");
    }

    @Test
    void restartedServerByKeyboard() {
        int before = stories();
        page.evaluate("document.querySelector('[data-story=restarted-server] button').focus()");
        page.press("Enter");
        ended("restarted-server", before);
        page.untilText("[aria-label='Server 3'] .status", "votes");
        untilBalance("holdfast", "130", "right");
        untilBalance("plain", "110", "wrong");
    }

    @Test
    void theTourCanBeStopped() {
        page.click("#tour");
        page.until("document.body.dataset.playing === 'yes'");
        assertThat(page.is("document.querySelector(\"[aria-label='Kill server 1']\").disabled"))
                .isTrue();
        page.click("#stop");
        page.until("document.body.dataset.playing === 'no'");
        page.untilText("#story-list", "Stopped.");
        page.until("!document.querySelector(\"[aria-label='Kill server 1']\").disabled");
    }

    @Test
    void whatVisitorsDoIsDone() throws Exception {
        page.click("#start-over");
        page.until("document.querySelector('[data-story] .told').children.length === 0");
        page.click("[aria-label='Kill server 1']");
        page.untilText("[aria-label='Server 1'] .status", "dead");
        page.click("[aria-label='Freeze client C']");
        page.untilText("[aria-label='Client C'] h3", "frozen");
        page.click("[aria-label='Link from client B to server 2']");
        page.until(
                "document.querySelector(\"[aria-label='Link from client B to server 2']\").getAttribute('aria-pressed')"
                        + " === 'false'");
        // Four servers for A and three for B are enough.
        page.click("[aria-label='Let client A work']");
        page.click("[aria-label='Let client B work']");
        for (String client : List.of("A", "B")) {
            page.untilText(".account.holdfast ol", client + " +10");
            page.untilText(".account.plain ol", client + " +10");
        }
        page.until("document.querySelector('.account.holdfast').dataset.right === 'yes'");
        // It says so for some seconds only: the page itself notes it.
        page.evaluate("window.forgot = false; new MutationObserver(() => { forgot ||= document.querySelector("
                + "\"[aria-label='Server 1'] .status\").textContent.includes('may have forgotten votes'); })"
                + ".observe(document.body, {subtree: true, childList: true, characterData: true})");
        page.click("[aria-label='Start server 1 again without its data']");
        page.until("window.forgot");
        // A server that somebody kills from a shell is seen to be dead as well.
        assertThat(processOfServer(4).destroyForcibly()).isTrue();
        page.untilText("[aria-label='Server 5'] .status", "dead");
        page.click("#start-over");
        page.untilText("[aria-label='Server 1'] .status", "votes");
        untilBalance("holdfast", "100", "right");
        assertThat(page.is("document.querySelector('#problem').hidden")).isTrue();
    }

    private static ProcessHandle processOfServer(int server) throws IOException {
        try (Resp resp = new Resp(lab.stage().board().servers.get(server).port, 60_000)) {
            long pid = String.valueOf(resp.call("INFO", "server"))
                    .lines()
                    .filter(line -> line.startsWith("process_id:"))
                    .mapToLong(line -> Long.parseLong(line.substring("process_id:".length())))
                    .findFirst()
                    .orElseThrow();
            return ProcessHandle.of(pid).orElseThrow();
        }
    }

    private void both(String name) throws Exception {
        for (String scheme : List.of("light", "dark")) {
            page.colours(scheme);
            // Bars that have just appeared grow to their length.
            page.until("[...document.querySelectorAll('.bar i')].every(each => Math.abs(100 * each.offsetWidth"
                    + " / Math.max(1, each.parentElement.offsetWidth) - (parseFloat(each.style.width) || 0)) < 5)");
            page.screenshot(PICTURES.resolve(name + "-" + scheme + ".png"));
        }
    }
}
