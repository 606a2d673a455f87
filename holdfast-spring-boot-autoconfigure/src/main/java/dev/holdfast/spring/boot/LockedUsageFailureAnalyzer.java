package dev.holdfast.spring.boot;

import dev.holdfast.spring.LockedUsageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints which methods cannot be locked, without the stack of Spring's own start. */
final class LockedUsageFailureAnalyzer extends AbstractFailureAnalyzer<LockedUsageException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockedUsageException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Correct these methods, or use a LockTemplate where a proxy cannot be used.",
                cause);
    }
}
