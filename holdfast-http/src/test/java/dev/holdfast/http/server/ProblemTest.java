package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProblemTest {
    @Test
    void theDocumentIsAsciiAndQuoted() {
        // The detail can come from a naming function, and so from the path.
        assertThat(Problem.ambiguousPath("\"a\\b\"\n\u00e9\ud83d\udd12").json())
                .isEqualTo(
                        "{\"type\":\"tag:holdfast.dev,2026:ambiguous-path\",\"title\":\"The path can be read in two ways\","
                                + "\"status\":400,\"detail\":\"\\\"a\\\\b\\\"\\u000a\\u00e9\\ud83d\\udd12\"}");
    }
}
