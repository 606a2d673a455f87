package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.RefusedException;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Stops an application whose database has no tables for locks. Looks once all beans are there, so after migrations. */
final class LockTablesCheck implements SmartInitializingSingleton {
    private final BackendChoice choice;
    private final Holdfast holdfast;

    LockTablesCheck(BackendChoice choice, Holdfast holdfast) {
        this.choice = choice;
        this.holdfast = holdfast;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (choice.kind() != BackendKind.JDBC) {
            return;
        }
        try {
            var unused = holdfast.inspect("holdfast start-up check");
        } catch (LockUnavailableException e) {
            // An outage that began just now is none of our business: it may be over before the first lock.
            if (e.getCause() instanceof RefusedException refused
                    && refused.code().equals("jdbc.tables-missing")) {
                throw new HoldfastStartupException(
                        "The database has no tables for locks: " + e.getMessage(),
                        "Add META-INF/holdfast/<database>.sql of holdfast-jdbc to the application's migrations, or set"
                                + " holdfast.jdbc.initialize-schema to always.",
                        e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
