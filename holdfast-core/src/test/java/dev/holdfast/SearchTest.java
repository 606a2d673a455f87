package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("thorough")
class SearchTest {
    @Test
    void noSequenceOfEventsLosesAWakeUpGrantsTwiceOrLeaks() {
        // Everything that a caller, a clock, a network and a rival can do to one name, in every order of a few events
        // and
        // in random orders of many.
        String outcome = new SearchRun(SearchRun.LONG).get();
        System.out.println("search: " + outcome);
        assertThat(outcome).startsWith("clean");
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void theSearchFindsAPlantedBug(SearchMutant mutant) {
        // The same search over an engine with one bug: a search that finds nothing there proves nothing here.
        String outcome = mutant.search(SearchRun.class).get();
        System.out.println(
                "search, " + mutant + ": " + outcome.lines().findFirst().orElseThrow());
        assertThat(outcome).startsWith("found");
    }

    static List<SearchMutant> mutants() {
        return List.of(
                new SearchMutant(
                        "a waiter can be settled twice",
                        "NameQueue",
                        "if (waiter.settled || waiters == null || !waiters.remove(waiter)) {",
                        "if (waiters == null || (!waiters.remove(waiter) && waiter.isLimited())) {"),
                new SearchMutant(
                        "a claim is dropped and not withdrawn",
                        "NameQueue",
                        "return dropped.inFlight || dropped.queued ?",
                        "return false ?"),
                new SearchMutant(
                        "a grant for an unknown owner is kept",
                        "NameQueue",
                        "return Effect.Withdraw.unknown(key, owner, grant);",
                        "return NOTHING;"),
                new SearchMutant(
                        "a late 'busy, queued' leaves its place in the queue",
                        "NameQueue",
                        "return busy.queued() && !isTenureOf(asked) ? Effect.Withdraw.of(asked, false) : NOTHING;",
                        "return NOTHING;"),
                new SearchMutant(
                        "a 'busy, queued' overtaken by its grant withdraws it",
                        "NameQueue",
                        "busy.queued() && !isTenureOf(asked)",
                        "busy.queued()"),
                new SearchMutant(
                        "a failure overtaken by its grant withdraws it",
                        "NameQueue",
                        "if (inUse != null) {",
                        "if (inUse != null && claim == asked) {"),
                new SearchMutant(
                        "a question that arrives after the release revives the tenure",
                        "NameQueue",
                        "return held.unsettled ?",
                        "return false ?"),
                new SearchMutant(
                        "a withdrawal is not repeated after the request has settled",
                        "spi/Withdrawal",
                        "(confirmed && sentNanos - settledAtNanos >= 0)",
                        "confirmed"),
                new SearchMutant(
                        "a hint is forgotten while a question is under way", "NameQueue", "claim.askAgain = true;", ""),
                new SearchMutant(
                        "nobody asks for the waiters after the tenure ended",
                        "NameQueue",
                        "        claimAfter(held, nowNanos);\n        // A claim",
                        "        // A claim"),
                new SearchMutant(
                        "nobody asks for the waiters after the tenure was lost",
                        "NameQueue",
                        "losses.then(new Effect.Rearm(gone)).then(claimAfter(gone, nowNanos))",
                        "losses.then(new Effect.Rearm(gone))"),
                new SearchMutant(
                        "a claim between two questions has no alarm",
                        "NameQueue",
                        "return new Effect.Rearm(asking);",
                        "return NOTHING;"),
                new SearchMutant(
                        "a lost lease is handed on when it is closed",
                        "NameQueue",
                        "if (!TenureChain.contains(tenure, held) || !held.isOpen(lease)) {",
                        "if (tenure == null) {"),
                new SearchMutant(
                        "a waiter for a lock that was held here is told 'unavailable'",
                        "NameQueue",
                        "if (claim != null && !ended.isUncertain()) {",
                        "if (claim != null && claim.inFlight && ended.isUncertain()) {"),
                new SearchMutant(
                        "a waiter is told 'busy' before the store has said anything",
                        "LocalClaim",
                        "return answered && (!inFlight ||",
                        "return inFlight || answered && (!inFlight ||"),
                new SearchMutant(
                        "a holder that closes a lease which had ended is not told",
                        "TenureLease",
                        "before instanceof Released released ? released.callbacks() : before;",
                        "before instanceof Released ? null : before;"),
                new SearchMutant(
                        "a tenure is handed on while it is uncertain", "Tenure", "return !uncertain", "return true"),
                new SearchMutant(
                        "a tenure hands out one token too many", "Tenure", "tokensLeft > 0", "tokensLeft >= 0"),
                new SearchMutant(
                        "a grant that took too long is handed out",
                        "NameQueue",
                        "if (begun.isOver(nowNanos)) {",
                        "if (begun.isOver(nowNanos - 100_000_000_000L)) {"),
                new SearchMutant(
                        "the alarm of a settled waiter stays",
                        "Waiter",
                        "settled = true;\n        fireAtNanos = NEVER;",
                        "settled = true;"),
                new SearchMutant(
                        "a writer of this process does not wait for its readers",
                        "Terms",
                        "renewing && other.renewing && shared == other.shared",
                        "renewing && other.renewing"),
                new SearchMutant(
                        "the first reader that is done ends it for the others",
                        "SharedTenure",
                        "return !leases.isEmpty();",
                        "return false;"),
                new SearchMutant(
                        "only one of the readers is told of the loss",
                        "SharedTenure",
                        "return List.copyOf(leases);",
                        "return List.of(leases.get(0));"),
                new SearchMutant(
                        "a slot is handed to somebody who has fewer",
                        "SharedTenure",
                        "(!isSlot() || slot < waiter.terms.slots())",
                        "true"),
                new SearchMutant(
                        "a claim for more slots serves somebody who has fewer",
                        "Terms",
                        "(canShareTenureWith(wanted) && slots == wanted.slots)",
                        "canShareTenureWith(wanted)"),
                new SearchMutant(
                        "nobody asks for those behind the first permit",
                        "NameQueue",
                        ".then(readAlong(begun, grant.votes(), nowNanos)).then(claimBeside(nowNanos))",
                        ".then(readAlong(begun, grant.votes(), nowNanos))"),
                new SearchMutant(
                        "a claim stays when its last waiter was served here",
                        "NameQueue",
                        ".then(readAlong(held, lease.votes(), nowNanos)).then(afterLeaving(nowNanos))",
                        ".then(readAlong(held, lease.votes(), nowNanos))"),
                new SearchMutant(
                        "a timer task that was cancelled too late arms another",
                        "Timers",
                        "if (arming == armings) {",
                        "if (arming <= armings) {"));
    }
}
