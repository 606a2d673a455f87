package dev.holdfast;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A waiter that only writes down what it was told. */
final class SearchWaiter extends Waiter {
    private final BiConsumer<SearchWaiter, @Nullable TenureLease> told;
    int deliveries;

    SearchWaiter(
            Engine engine, String name, Terms terms, long maxWaitNanos, BiConsumer<SearchWaiter, TenureLease> told) {
        super(engine, name, terms, maxWaitNanos, null);
        this.told = told;
    }

    @Override
    void deliver(TenureLease lease) {
        deliveries++;
        told.accept(this, lease);
    }

    @Override
    void deliver(Refusal refusal) {
        deliveries++;
        told.accept(this, null);
    }
}
