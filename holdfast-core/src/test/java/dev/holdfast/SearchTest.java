package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SearchTest {
    @Test
    void noSequenceOfEventsLosesAWakeUpGrantsTwiceOrLeaks() {
        // Everything that a caller, a clock, a network and a rival can do to one name, in every order of a few events
        // and
        // in random orders of many.
        String outcome = new SearchRun().get();
        System.out.println("search: " + outcome);
        assertThat(outcome).startsWith("clean");
    }
}
