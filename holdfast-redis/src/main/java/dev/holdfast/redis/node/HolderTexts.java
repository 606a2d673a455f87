package dev.holdfast.redis.node;

import dev.holdfast.Holder;
import org.jspecify.annotations.Nullable;

/** Writes holders as they stand in Redis. As a rule every claim of a process names the same one, so the last is remembered. */
public final class HolderTexts {
    /**
     * Both forms.
     *
     * @param text {@code pid host description}
     * @param tail with kind and notes in front of it: what the value of an exclusive lock ends with
     */
    public record Written(Holder holder, String text, String tail) {}

    private volatile @Nullable Written last;

    /** Racy, and benign: two threads may write the same. */
    public Written of(Holder holder) {
        Written known = last;
        if (known == null || !known.holder.equals(holder)) {
            String text = Wire.holder(holder);
            known = new Written(holder, text, Wire.tail(text));
            last = known;
        }
        return known;
    }
}
