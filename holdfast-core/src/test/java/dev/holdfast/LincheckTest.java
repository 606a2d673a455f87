package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("thorough")
class LincheckTest {
    @ParameterizedTest
    @MethodSource("races")
    void noInterleavingOfTwoThreadsBreaksTheEngine(LincheckRaces race) {
        // Two threads do what races with each other; Lincheck switches between them wherever that can matter.
        String outcome = race.get();
        System.out.println("lincheck, " + race.getClass().getSimpleName() + ": " + firstLine(outcome));
        assertThat(outcome).startsWith("clean");
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void lincheckFindsAPlantedBug(Class<? extends Supplier<String>> race, SearchMutant mutant) throws Exception {
        // The same race over an engine with one bug: a race that nobody loses there proves nothing here.
        String outcome = LincheckFork.run(race, mutant);
        assertThat(outcome).startsWith("found").contains("Validation function end has failed");
        System.out.println("lincheck, " + mutant + ": found");
    }

    private static String firstLine(String outcome) {
        return outcome.lines().findFirst().orElseThrow();
    }

    static List<LincheckRaces> races() {
        return List.of(
                new LincheckRaces.GrantAgainstCancel(),
                new LincheckRaces.PushAgainstAnswer(),
                new LincheckRaces.PushAgainstCancel(),
                new LincheckRaces.LastOfSeveralAgainstCancel(),
                new LincheckRaces.VictoryAgainstClose(),
                new LincheckRaces.CandidacyAgainstClose(),
                new LincheckRaces.ReleaseAgainstJoin(),
                new LincheckRaces.ReleaseAgainstCancel(),
                new LincheckRaces.ReleaseTwice(),
                new LincheckRaces.CloseAgainstJoin(),
                new LincheckRaces.CloseAgainstWait(),
                new LincheckRaces.LossAgainstCallback(),
                new LincheckRaces.LossAgainstRelease(),
                new LincheckRaces.SetAgainstTakeBack());
    }

    static List<Arguments> mutants() {
        return SearchRun.LONG ? Stream.of(few(), more()).flatMap(List::stream).toList() : few();
    }

    private static List<Arguments> few() {
        return List.of(
                arguments(
                        LincheckRaces.SetAgainstTakeBack.class,
                        new SearchMutant(
                                "the fire time of an alarm is read once",
                                "Timers",
                                "while (fireAt != alarm.fireAtNanos);",
                                "while (fireAt == Long.MIN_VALUE);")),
                arguments(
                        LincheckRaces.CloseAgainstWait.class,
                        new SearchMutant(
                                "a waiter that came while closing stays",
                                "Engine",
                                "            leave(waiter, Refusal.Kind.CLOSED);",
                                "")),
                arguments(
                        LincheckRaces.LastOfSeveralAgainstCancel.class,
                        new SearchMutant(
                                "a lease that comes after the cancellation of several is kept",
                                "MultiAttempt",
                                "late = over;",
                                "late = false;")),
                arguments(
                        LincheckRaces.CandidacyAgainstClose.class,
                        new SearchMutant(
                                "a candidate that was closed while it joined waits for ever",
                                "ElectionState",
                                "step(() -> closing && joining == candidate ? withdraw() : Action.NOTHING);",
                                "")),
                arguments(
                        LincheckRaces.VictoryAgainstClose.class,
                        new SearchMutant(
                                "a candidate that won while it was closed leads",
                                "ElectionState",
                                "        if (closing) {\n            return giveBack();\n        }\n        Action next",
                                "        Action next")),
                arguments(
                        LincheckRaces.LossAgainstCallback.class,
                        new SearchMutant(
                                "a callback is lost while the loss is told",
                                "TenureLease",
                                "Ending before = ENDING.getAndUpdate(this, now -> lostAfter(now, loss));",
                                "Ending before = ending; ending = lostAfter(before, loss);")));
    }

    private static List<Arguments> more() {
        return List.of(
                arguments(
                        LincheckRaces.CloseAgainstJoin.class,
                        new SearchMutant(
                                "a lease granted while closing stays", "Engine", "if (abandoned) {", "if (!closed) {")),
                arguments(
                        LincheckRaces.PushAgainstAnswer.class,
                        new SearchMutant(
                                "a 'busy, queued' overtaken by its grant withdraws it",
                                "NameQueue",
                                "busy.queued() && !isTenureOf(asked)",
                                "busy.queued()")),
                arguments(
                        LincheckRaces.ReleaseTwice.class,
                        new SearchMutant(
                                "a lease can be released twice",
                                "TenureLease",
                                "if (ENDING.compareAndSet(this, now, new Released(done, callbacks))) {",
                                "ending = new Released(done, callbacks); if (now != ending) {")));
    }
}
