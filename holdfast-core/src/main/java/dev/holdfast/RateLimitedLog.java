package dev.holdfast;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Secrets;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Of each kind of message one line in ten seconds, saying how many were left out. Never throws: what writes a log line is
 * somebody else's code, and is called where nothing may fail.
 */
final class RateLimitedLog {
    private static final Logger LOG = LoggerFactory.getLogger(Holdfast.class);

    private final RateLimit limit;
    private final AtomicInteger bugs = new AtomicInteger();

    RateLimitedLog(Environment environment) {
        this.limit = new RateLimit(environment, 1);
    }

    void warn(String kind, String message, Throwable cause) {
        quietly(() -> {
            int leftOut = limit.admit(kind);
            if (leftOut >= 0) {
                LOG.warn("{}{}", Secrets.mask(message), RateLimit.more(leftOut), Secrets.mask(cause));
            }
        });
    }

    void warn(String kind, String message) {
        quietly(() -> {
            int leftOut = limit.admit(kind);
            if (leftOut >= 0) {
                LOG.warn("{}{}", Secrets.mask(message), RateLimit.more(leftOut));
            }
        });
    }

    void info(String kind, String message) {
        quietly(() -> {
            int leftOut = limit.admit(kind);
            if (leftOut >= 0) {
                LOG.info("{}{}", Secrets.mask(message), RateLimit.more(leftOut));
            }
        });
    }

    /** What an operator did: every one of them. */
    void record(String message) {
        quietly(() -> LOG.info("{}", Secrets.mask(message)));
    }

    void bug(Throwable bug) {
        bugs.incrementAndGet();
        quietly(() -> LOG.error("A bug in Holdfast or in its backend; please report it", Secrets.mask(bug)));
    }

    /** How many bugs were reported. */
    int bugs() {
        return bugs.get();
    }

    private static void quietly(Runnable logging) {
        try {
            logging.run();
        } catch (Throwable ignored) {
            // There is nobody left to tell.
        }
    }
}
