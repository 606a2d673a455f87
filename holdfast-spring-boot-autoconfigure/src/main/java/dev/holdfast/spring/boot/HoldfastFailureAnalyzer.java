package dev.holdfast.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Prints a {@link HoldfastStartupException} in Boot's form, before analysers that know only what is around it. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class HoldfastFailureAnalyzer extends AbstractFailureAnalyzer<HoldfastStartupException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, HoldfastStartupException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
