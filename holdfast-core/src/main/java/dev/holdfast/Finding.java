package dev.holdfast;

import dev.holdfast.spi.Secrets;
import java.util.regex.Pattern;

/**
 * Something about a store that its user should know.
 *
 * @param code which finding it is, for programs: stays the same when the words change, such as {@code redis.eviction}
 * @param what is the case
 * @param remedy what to do about it; empty where nothing is to be done
 */
public record Finding(String code, Severity severity, String what, String remedy) {
    private static final Pattern CODE = Pattern.compile("[a-z0-9]+([.-][a-z0-9]+)*");

    public Finding {
        if (!CODE.matcher(code).matches()) {
            throw new IllegalArgumentException(
                    "The code of a finding has lower-case letters, digits, dots and dashes: '" + code + "'");
        }
        what = Secrets.mask(what);
        remedy = Secrets.mask(remedy);
    }

    /** Good to know; nothing has to be done. */
    public static Finding note(String code, String what) {
        return new Finding(code, Severity.NOTE, what, "");
    }
}
