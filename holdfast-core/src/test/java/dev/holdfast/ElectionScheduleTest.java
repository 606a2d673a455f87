package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("thorough")
class ElectionScheduleTest {
    @Test
    void underEveryScheduleOfFaultsTheLeaderIsToldBeforeTheNextOneLeads() {
        String outcome = new ElectionSchedule().get();
        System.out.println("search: elections, " + outcome);
        assertThat(outcome).startsWith("clean");
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void thePlantedBugIsFound(SearchMutant mutant) {
        // The same schedules over an election with one bug: schedules that find nothing there prove nothing here.
        String outcome = mutant.search(ElectionSchedule.class).get();
        System.out.println(
                "search, " + mutant + ": " + outcome.lines().findFirst().orElseThrow());
        assertThat(outcome).startsWith("found");
    }

    static List<SearchMutant> mutants() {
        return List.of(
                new SearchMutant(
                        "the task is told only when its leadership has ended",
                        "ElectionState",
                        "if (left > marginNanos) {",
                        "if (left > 0) {"),
                new SearchMutant(
                        "closing frees the leadership of a task that works",
                        "ElectionState",
                        "case LEADING -> stop(\"its candidacy was closed\");",
                        "case LEADING -> giveBack();"),
                new SearchMutant(
                        "resigning frees the leadership of a task that works",
                        "ElectionState",
                        "return phase == Phase.LEADING ? stop(\"it resigned\") : giveBack();",
                        "return giveBack();"),
                new SearchMutant(
                        "a lost leadership is competed for beside its task",
                        "ElectionState",
                        "case LEADING -> stop(loss.toString());",
                        "case LEADING -> giveBack();"),
                new SearchMutant(
                        "a task begins with too little time",
                        "ElectionState",
                        "if (left >= Math.max(leaseNanos / 3, marginNanos + leaseNanos / 10)) {",
                        "if (left > 0) {"));
    }
}
