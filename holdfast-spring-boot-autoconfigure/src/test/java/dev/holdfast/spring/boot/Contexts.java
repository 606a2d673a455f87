package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Applications without Boot's own auto-configuration, so that they have only what a test gives them. */
final class Contexts {
    private Contexts() {}

    static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withPropertyValues("holdfast.close-grace=0s")
                .withConfiguration(
                        AutoConfigurations.of(HoldfastAutoConfiguration.class, LockingAutoConfiguration.class));
    }

    static JdbcDataSource newDatabase() {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return h2;
    }

    /** The application did not start, and what is printed says this. */
    static ContextConsumer<AssertableApplicationContext> failsWith(String... parts) {
        return context -> printedFailure(
                context.getStartupFailure(), printed -> assertThat(printed).contains(parts));
    }

    private static void printedFailure(Throwable failure, Consumer<String> check) {
        var analysis = new HoldfastFailureAnalyzer()
                .analyze(Assertions.assertThat(failure).actual());
        assertThat(analysis).as("analysis of %s", failure).isNotNull();
        check.accept(analysis.getDescription() + "\n" + analysis.getAction());
    }
}
