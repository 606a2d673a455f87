package dev.holdfast.tck;

import dev.holdfast.FencingToken;
import dev.holdfast.InMemoryFence;

/** The whole story on a resource that lives in this process. */
class InMemoryFenceTest extends FenceContract {
    @Override
    protected GuardedNumber newNumber() {
        InMemoryFence fence = new InMemoryFence("number");
        return new GuardedNumber() {
            private long value;

            @Override
            public long read() {
                return value;
            }

            @Override
            public void overwrite(long value) {
                this.value = value;
            }

            @Override
            public void announce(FencingToken token) {
                fence.announce(token);
            }

            @Override
            public void write(FencingToken token, long value) {
                fence.guarded(token, () -> this.value = value);
            }

            @Override
            public boolean writeIfUnchanged(long expected, long value) {
                boolean unchanged = this.value == expected;
                if (unchanged) {
                    this.value = value;
                }
                return unchanged;
            }
        };
    }
}
