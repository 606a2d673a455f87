package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorsTest {
    private final Errors errors = new Errors("db.example:6379", Keys.standard().prefix());

    @Test
    void theDocumentPrintsTheLineThatIsTested() throws IOException {
        assertThat(Files.readString(Path.of("..", "docs", "redis.md"))).contains(errors.aclLine("holdfast"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOAUTH Authentication required.",
                "ERR invalid password",
                "NOPERM this user has no permissions to run the 'publish' command",
                "NOPERM User alice has no permissions to run the 'config|get' command",
                "READONLY You can't write against a read only replica.",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR unknown command 'EVALSHA', with args beginning with:",
            })
    void whatTryingAgainDoesNotCureIsRefused(String error) {
        assertThat(errors.said(error, Script.ACQUIRE, "k"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("db.example:6379");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OOM command not allowed when used memory > 'maxmemory'.",
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "NOREPLICAS Not enough good replicas to write.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "CLUSTERDOWN Hash slot not served",
                "ERR max number of clients reached",
                "ERR Error running script (call to f_x): @user_script:1: Script killed by user with SCRIPT KILL...",
            })
    void whatMayPassIsProofThatNothingHappened(String error) {
        assertThat(errors.said(error, Script.ACQUIRE, "k"))
                .isInstanceOf(NotSentException.class)
                .hasMessageContaining("db.example:6379")
                .hasMessageContaining(error);
    }

    @Test
    void whatWeDoNotKnowIsNoProof() {
        assertThat(errors.said("ERR something new", Script.ACQUIRE, "k"))
                .isNotInstanceOf(NotSentException.class)
                .isNotInstanceOf(RefusedException.class);
    }

    @Test
    void insideAScriptTheForbiddenCommandIsFoundByItsLine() {
        // Redis 7 names the line, 6.2 the same in other words.
        int line = 1 + Arrays.asList(Script.RELEASE.source().split("\n", -1)).indexOf("  redis.call('DEL', KEYS[1])");
        String error = "ERR The user executing the script can't run this command or subcommand script: abc, on"
                + " @user_script:" + line + ".";
        assertThat(errors.said(error, Script.RELEASE, "k")).hasMessageContaining("the command DEL");
    }

    @Test
    void aBatchOfForeignKeysIsNotListedWhole() {
        String[] many = new String[500];
        Arrays.fill(many, "key");
        assertThat(errors.said("WRONGTYPE x", Script.RENEW, many)).hasMessageContaining("and the other 497");
    }

    @Test
    void anExhaustedCounterIsTheOneThatTheServerNames() {
        // Of a quorum's keys the last is the admission record. Whoever deleted that would stop the server from voting.
        String[] keys = Keys.standard().ofQuorum("x");
        assertThat(errors.said("ERR HOLDFAST-EXHAUSTED " + keys[2] + " script: 1f", Script.QUORUM_ACQUIRE, keys))
                .hasMessageContaining("delete " + keys[2] + " once")
                .hasMessageNotContaining(keys[3]);
    }
}
