package dev.holdfast.dashboard;

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
        return record("Broken: lock '" + ended.name() + "', tokens " + ended.tokens() + ", held by " + ended.holder()
                + ". By " + by + " at " + now() + ".");
    }

    /** Also what may have happened: the store did not answer. */
    String unconfirmed(LockState seen, String by) {
        return record("Perhaps broken, the store did not answer: lock '" + seen.name() + "', tokens " + seen.tokens()
                + ", held by " + seen.holder() + ". By " + by + " at " + now() + ".");
    }

    static String who(String session, InetSocketAddress from) {
        return session + ", from " + from.getAddress().getHostAddress();
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    private String record(String text) {
        String line = oneLine(Secrets.mask(text));
        LOG.info(line);
        also.accept(line);
        return line;
    }

    /** Others chose names and descriptions: they must not start a line of their own, nor turn the direction of this one. */
    static String oneLine(String text) {
        int[] shown = text.codePoints()
                .map(c -> switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SURROGATE -> '?';
                    default -> c;
                })
                .toArray();
        return new String(shown, 0, shown.length);
    }
}
