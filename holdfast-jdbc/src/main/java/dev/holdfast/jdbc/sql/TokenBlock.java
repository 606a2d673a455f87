package dev.holdfast.jdbc.sql;

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
}
