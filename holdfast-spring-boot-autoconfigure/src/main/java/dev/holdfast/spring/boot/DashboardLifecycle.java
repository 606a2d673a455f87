package dev.holdfast.spring.boot;

import dev.holdfast.dashboard.Dashboard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Says where the console is when the application has started, and closes it before its {@code Holdfast}. */
final class DashboardLifecycle implements SmartLifecycle {
    /** Before {@link HoldfastLifecycle}: later phases stop first. */
    static final int PHASE = HoldfastLifecycle.PHASE + 1;

    private static final Logger LOG = LoggerFactory.getLogger(Dashboard.class);

    private final Dashboard dashboard;
    private volatile boolean running;

    DashboardLifecycle(Dashboard dashboard) {
        this.dashboard = dashboard;
    }

    @Override
    public void start() {
        running = true;
        // Without a link: a log is read by many.
        LOG.info(
                "The locks are shown at {}. A link that opens it comes from POST /actuator/lockdashboard.",
                dashboard.uri());
    }

    @Override
    public void stop() {
        running = false;
        dashboard.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Asked by Spring 7, which pauses contexts that wait for the next test class. A closed console cannot be opened again. */
    @SuppressWarnings("UnusedMethod")
    public boolean isPauseable() {
        return false;
    }
}
