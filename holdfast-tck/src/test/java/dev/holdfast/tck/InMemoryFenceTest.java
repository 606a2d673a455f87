package dev.holdfast.tck;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.memory.InMemoryFence;

/** The whole story on a resource that lives in this process. */
class InMemoryFenceTest extends FenceContract {
    private long value;

    @Override
    protected GuardedNumber newNumber() {
        return new LocalNumber(new InMemoryFence("number"));
    }

    private final class LocalNumber implements GuardedNumber {
        private final InMemoryFence fence;

        LocalNumber(InMemoryFence fence) {
            this.fence = fence;
        }

        @Override
        public long read() {
            return value;
        }

        @Override
        public void overwrite(long other) {
            value = other;
        }

        @Override
        public void announce(FencingToken token) {
            fence.announce(token);
        }

        @Override
        public void announceRead(FencingToken token) {
            fence.announceRead(token);
        }

        @Override
        public void write(FencingToken token, long other) {
            fence.guarded(token, () -> value = other);
        }

        @Override
        public boolean writeIfUnchanged(long expected, long other) {
            boolean unchanged = value == expected;
            if (unchanged) {
                value = other;
            }
            return unchanged;
        }

        @Override
        public GuardedNumber withGeneration(int generation) {
            return new LocalNumber(fence.withGeneration(generation));
        }

        @Override
        public GuardState inspect() {
            return fence.inspect();
        }

        @Override
        public boolean move(GuardState shown, int toGeneration, String by) {
            return fence.move(shown, toGeneration, by);
        }
    }
}
