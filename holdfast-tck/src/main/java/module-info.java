/** The conformance kit for backends. */
module dev.holdfast.tck {
    requires transitive dev.holdfast;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.holdfast.tck;

    // JUnit finds and calls the tests by reflection.
    opens dev.holdfast.tck;
}
