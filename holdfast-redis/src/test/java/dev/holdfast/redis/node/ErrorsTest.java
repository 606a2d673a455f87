package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorsTest {
    private final Errors errors = new Errors("db.example:6379", Keys.standard().prefix());

    @Test
    void theDocumentPrintsTheLineThatIsTested() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "redis.md"));
        assertThat(document).contains(errors.aclLine("holdfast") + " on >");
        assertThat(document)
                .contains(
                        new Errors("x", Keys.standard().prefix(), Topology.Kind.QUORUM).aclLine("holdfast") + " on >");
        assertThat(Files.readString(Path.of("..", "docs", "topologies.md")))
                .contains(
                        new Errors("x", Keys.standard().prefix(), Topology.Kind.CLUSTER).aclLine("holdfast") + " on >");
    }

    @Test
    void aChannelThatClosesWithoutAWordIsNotToldAsNull() {
        // The message ended in ": null".
        assertThat(errors.broken(new ClosedChannelException())).hasMessageEndingWith("broke: ClosedChannelException");
        assertThat(errors.notConnected(new ClosedChannelException())).hasMessageEndingWith(": ClosedChannelException");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOAUTH Authentication required.",
                "ERR invalid password",
                "NOPERM this user has no permissions to run the 'publish' command",
                "NOPERM User alice has no permissions to run the 'config|get' command",
                "ERR ACL failure in script: User alice has no permissions to run the 'del' command script: 1f, on @user_script:3.",
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR unknown command 'AUTH', with args beginning with: 'alice' 's3cret' ",
                "ERR unknown command `AUTH`, with args beginning with: `s3cret`, ",
                "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'alice' 's3cret'",
                "ERR unknown subcommand 's3cret'. Try CLIENT HELP.",
            })
    void whatTheServerRepeatsOfOurArgumentsIsNotShown(String error) {
        // A server that has renamed or does not know AUTH answers with the password.
        assertThat(errors.said(error, null)).hasMessageNotContaining("s3cret").hasMessageContaining("unknown");
    }

    @Test
    void whereTwoCommandsStandOnTheForbiddenLineBothAreNamed() {
        // The first was named, and whoever permitted it was told the same again.
        List<String> lines = Script.QUORUM_RELEASE.source().lines().toList();
        int line = 1
                + lines.indexOf(lines.stream()
                        .filter(each -> each.contains("'LPOS'") && each.contains("'RPUSH'"))
                        .findFirst()
                        .orElseThrow());
        String error = "ERR The user executing the script can't run this command or subcommand script: abc, on"
                + " @user_script:" + line + ".";
        assertThat(errors.said(error, Script.QUORUM_RELEASE, "k")).hasMessageContaining("the command LPOS or RPUSH");
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
    void since72TheServerNamesTheForbiddenCommandItself() {
        // It was taken for a failure that passes: the claim was repeated until the caller's limit, and nobody was told
        // the ACL line.
        String error =
                "ERR ACL failure in script: User alice has no permissions to run the 'publish' command script: 1f, on"
                        + " @user_script:3.";
        assertThat(errors.said(error, Script.RELEASE, "k"))
                .hasMessageContaining("does not permit the command PUBLISH")
                .hasMessageContaining("ACL SETUSER");
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
