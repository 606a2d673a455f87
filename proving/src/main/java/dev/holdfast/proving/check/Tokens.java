package dev.holdfast.proving.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tokens are unique, and a grant that was in its holder's hands before somebody asked has the smaller one. Two grants of which neither
 * was there before the other was asked for may have been carried out in either order, so nothing is said about them: a process can be
 * kept from noting an answer for as long as the machine likes.
 */
final class Tokens {
    private Tokens() {}

    static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        List<Hold> holds = history.holds().stream()
                .filter(each -> each.token().isPresent())
                .toList();
        Map<Long, Hold> seen = new HashMap<>();
        for (Hold hold : holds) {
            Hold twin = seen.putIfAbsent(hold.token().getAsLong(), hold);
            if (twin != null) {
                found.add(violation(
                        twin, hold, "have the same token " + hold.token().getAsLong()));
            }
            // The largest of those that were there before: one comparison is enough to find an inversion.
            Hold before = null;
            for (Hold earlier : holds) {
                if (earlier.grantedAt() < hold.askedAt()
                        && (before == null
                                || earlier.token().getAsLong() > before.token().getAsLong())) {
                    before = earlier;
                }
            }
            if (before != null && before.token().getAsLong() > hold.token().getAsLong()) {
                found.add(violation(
                        before,
                        hold,
                        "went back from " + before.token().getAsLong() + " to "
                                + hold.token().getAsLong()));
            }
        }
        return found;
    }

    private static Violation violation(Hold first, Hold second, String what) {
        return new Violation(
                Rule.TOKEN_ORDER,
                new Span(first.grantedAt(), second.grantedAt()),
                0,
                0,
                List.of(first.section(), second.section()),
                "The tokens of " + first.section() + " and " + second.section() + " " + what);
    }
}
