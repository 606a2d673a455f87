package dev.holdfast.jdbc.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * The tokens of one tenure, (last − tokens, last]. A block ends at the clock and reaches back to the counter at most. So the
 * counter never outruns the clock, however large the blocks, and the clock carries the order on where the counter is lost.
 * {@code acquire.sql}, {@code acquire-free.sql} and {@code vacate.sql} say the same.
 */
record TokenBlock(long last, int tokens) {
    /**
     * Of a counter that is not known the clock alone is left: below this moment there may be tokens that were given out, so
     * the block is this moment. Where the clock was set back, tokens are counted one by one until it has caught up.
     *
     * @param counter the last token of the bucket; zero if it is not known
     * @param wanted how many tokens are asked for
     */
    static TokenBlock after(long counter, long nowMicros, int wanted) {
        long last = Math.max(counter + 1, nowMicros);
        return new TokenBlock(last, counter <= 0 ? 1 : (int) Math.min(wanted, last - counter));
    }

    /**
     * Several blocks, one after the other, that end at the clock together. Those that come later leave as much room to those
     * before them as there is, and each has one token at least.
     *
     * @param wanted how many tokens each asks for
     */
    static List<TokenBlock> after(long counter, long nowMicros, List<Integer> wanted) {
        List<TokenBlock> blocks = new ArrayList<>();
        long before = counter;
        long later = wanted.stream().mapToLong(Integer::longValue).sum();
        for (int each : wanted) {
            later -= each;
            // Of a counter that is not known, no moment before this one is safe.
            long end = counter <= 0 ? nowMicros : nowMicros - later;
            blocks.add(after(before, end, each));
            before = blocks.get(blocks.size() - 1).last();
        }
        return blocks;
    }
}
