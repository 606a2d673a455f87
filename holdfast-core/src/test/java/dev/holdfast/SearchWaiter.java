package dev.holdfast;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A waiter that only writes down what it was told. */
final class SearchWaiter extends Waiter {
    private final BiConsumer<SearchWaiter, @Nullable TenureLease> told;
    int deliveries;
    /** How many answers had been heard when this began to wait. */
    int answersBefore;

    @Nullable
    Refusal refusal;

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
    void deliver(Refusal why) {
        deliveries++;
        refusal = why;
        told.accept(this, null);
    }
}
