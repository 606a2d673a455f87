package dev.holdfast;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** The names that are locked together: each once, in the order in which everybody takes them. */
final class NameSet {
    /** They are taken one after the other, so each costs the time of one more request. */
    static final int MOST_NAMES = 100;

    private static final int MOST_SHOWN = 5;

    /** By the bytes that stores see: the same for every client, in whatever language it is written. */
    static final Comparator<String> ORDER = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private NameSet() {}

    static List<String> require(List<String> names) {
        Objects.requireNonNull(names, "names");
        if (names.isEmpty()) {
            throw new IllegalArgumentException("There are no names: lockAll needs at least one");
        }
        if (names.size() > MOST_NAMES) {
            throw new IllegalArgumentException(
                    "lockAll takes at most " + MOST_NAMES + " names, these are " + names.size()
                            + ": they are taken one after the other. Use one name for the whole that they are parts of.");
        }
        List<String> inOrder = names.stream().map(Names::require).sorted(ORDER).toList();
        for (int i = 1; i < inOrder.size(); i++) {
            if (inOrder.get(i).equals(inOrder.get(i - 1))) {
                throw new IllegalArgumentException("The name '" + inOrder.get(i)
                        + "' is there twice: the second would wait for the first for ever. If the names are made from"
                        + " data, remove what is repeated first.");
            }
        }
        return inOrder;
    }

    static String text(List<String> names) {
        String shown =
                names.stream().limit(MOST_SHOWN).map(each -> "'" + each + "'").collect(Collectors.joining(", "));
        return names.size() <= MOST_SHOWN ? shown : shown + " and " + (names.size() - MOST_SHOWN) + " more";
    }
}
