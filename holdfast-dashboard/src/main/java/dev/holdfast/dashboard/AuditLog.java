package dev.holdfast.dashboard;

import dev.holdfast.Holder;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Secrets;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records who broke which lock: in the log, and wherever else it was asked for. */
final class AuditLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.holdfast.dashboard.audit");

    private final Consumer<String> also;

    AuditLog(Consumer<String> also) {
        this.also = also;
    }

    /** Returns the line. */
    String broken(LockState ended, String by) {
        return record("Broken: " + what(ended) + ". By " + by + " at " + now() + ".");
    }

    /** Also what may have happened: the store did not answer. */
    String unconfirmed(LockState seen, String by) {
        return record("Perhaps broken, the store did not answer: " + what(seen) + ". By " + by + " at " + now() + ".");
    }

    static String who(String session, InetSocketAddress from) {
        return masked(session) + ", from " + from.getAddress().getHostAddress();
    }

    private static String what(LockState state) {
        return state.key().kind() + " " + quoted(state.name())
                + (state.key().kind() == LockKind.SEMAPHORE ? ", slot " + state.slot() : "") + ", tokens "
                + state.tokens() + (state.shared() ? ", read by " : ", held by ") + shown(state.holder());
    }

    static String shown(Holder holder) {
        String process = "process " + holder.pid() + " on " + quoted(holder.host());
        return holder.description().isEmpty() ? process : process + " (" + quoted(holder.description()) + ")";
    }

    /**
     * Others chose names, hosts and descriptions: they must not look like another part of the record, start a line of their own, or turn
     * the direction of this one. A quotation mark is written like what cannot be seen.
     */
    private static String quoted(String text) {
        return "'" + masked(text.replace("'", "\\u0027")) + "'";
    }

    /**
     * Each part is masked by itself: what looks like the beginning of a password in one of them must not hide the next. Masked last, so that
     * whoever masks the whole line again changes nothing.
     */
    private static String masked(String text) {
        return Secrets.mask(VisibleText.of(text));
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    private String record(String line) {
        LOG.info(line);
        also.accept(line);
        return line;
    }
}
