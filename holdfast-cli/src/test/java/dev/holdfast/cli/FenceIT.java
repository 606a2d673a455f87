package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.cli.demo.RedisServers;
import dev.holdfast.jdbc.Database;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisFence;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** fence show and fence move. */
@ExtendWith(Launched.Cleanup.class)
class FenceIT {
    private static final FencingToken LARGE = new FencingToken(1_763_193_600_123_456L);
    private static final FencingToken SMALL = new FencingToken(7);

    @TempDir
    Path directory;

    private String url;

    @BeforeEach
    void createTheTable() throws Exception {
        url = "jdbc:sqlite:" + directory.resolve("data.db");
        try (Connection connection = DriverManager.getConnection(url)) {
            for (String statement :
                    SqlFence.ddl(Database.SQLITE).replaceAll("--[^\n]*", "").split(";", -1)) {
                if (!statement.isBlank()) {
                    connection.createStatement().execute(statement);
                }
            }
        }
    }

    private Launched fence(String... arguments) throws Exception {
        return Launched.start(
                directory,
                Map.of("HOSTNAME", "machine-1"),
                Stream.concat(Stream.of(Launched.LAUNCHER.toString(), "fence"), Stream.of(arguments))
                        .toList());
    }

    private String file() {
        return "sqlite:" + directory.resolve("data.db");
    }

    private void check(SqlFence fence, FencingToken token) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            fence.check(connection, token);
            connection.commit();
        }
    }

    @Test
    void aGuardInAFileIsShownMovedAndShownAgain() throws Exception {
        // The tokens of the new lock store are smaller: every holder was refused for ever, and no command helped.
        SqlFence fence = SqlFence.of("account-7");
        check(fence, LARGE);
        Launched shown = fence("show", "--at", file(), "account-7");
        assertThat(shown.exitCode()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("generation    0", "newest token  " + LARGE, "moves         0");

        Launched moved = fence("move", "--yes", "--at", url, "--to", "1", "account-7");
        assertThat(moved.exitCode()).as(moved.err()).isZero();
        assertThat(moved.out())
                .contains("Moved the guard of 'account-7' from generation 0 (newest token " + LARGE + ") to 1.")
                .contains("by " + System.getProperty("user.name") + " on machine-1");
        assertThatThrownBy(() -> check(fence, LARGE)).isInstanceOf(WrongGenerationException.class);
        check(fence.withGeneration(1), SMALL);

        Launched json = fence("show", "--json", "--at", file(), "account-7");
        assertThat(json.exitCode()).as(json.err()).isZero();
        assertThat(json.out())
                .startsWith(
                        "{\"resource\":\"account-7\",\"used\":true,\"generation\":1,\"newestToken\":\"7\",\"moves\":["
                                + "{\"fromGeneration\":0,\"newestToken\":\"" + LARGE + "\",\"toGeneration\":1,\"by\":\""
                                + System.getProperty("user.name") + " on machine-1\",\"at\":\"2");
    }

    @Test
    void aGuardInRedisIsShownAndMoved() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            RedisClient client = RedisClient.create();
            RedisFence fence = RedisFence.over(client, redis.redisUrl());
            fence.set("account:7", "100", LARGE);
            Launched moved = fence("move", "--yes", "--json", "--at", redis.redisUrl(), "--to", "1", "account:7");
            assertThat(moved.exitCode()).as(moved.err()).isZero();
            assertThat(moved.out())
                    .startsWith(
                            "{\"resource\":\"account:7\",\"used\":true,\"generation\":1,\"moves\":[{\"fromGeneration\":0,");
            assertThatThrownBy(() -> fence.set("account:7", "200", LARGE)).isInstanceOf(WrongGenerationException.class);
            fence.withGeneration(1).set("account:7", "300", SMALL);
            Launched shown = fence("show", "--at", redis.redisUrl(), "account:7");
            assertThat(shown.exitCode()).as(shown.err()).isZero();
            assertThat(shown.out())
                    .contains("newest token  7", "from generation 0 (newest token " + LARGE + ") to 1 by ");
            client.shutdown();
            redis.kill(0);
            Launched gone = fence("show", "--at", redis.redisUrl(), "account:7");
            assertThat(gone.exitCode()).isEqualTo(69);
            assertThat(gone.err()).contains("cannot be used").doesNotContain("\tat ");
        }
    }

    @Test
    void aGuardThatCannotBeReadIsNamed() throws Exception {
        // The answer was 64 and: For input string: "abc".
        try (RedisServers redis = RedisServers.start(1)) {
            RedisClient client = RedisClient.create(redis.redisUrl());
            RedisCommands<String, String> commands = client.connect().sync();
            commands.set("holdfast:guard:{account:7}", "abc");
            Launched shown = fence("show", "--at", redis.redisUrl(), "account:7");
            assertThat(shown.exitCode()).as(shown.err()).isEqualTo(69);
            assertThat(shown.err()).contains("holdfast:guard:{account:7}", "'abc'", "not a token");
            client.shutdown();
        }
    }

    @Test
    void aWrongPasswordIsCalledThat() throws Exception {
        // Lettuce says that it is unable to connect, and only its cause says why.
        try (RedisServers redis = RedisServers.start(1, "--requirepass", "s3cret-right")) {
            String wrong = redis.redisUrl().replace("redis://", "redis://:s3cret-wrong@");
            Launched refused = fence("show", "--at", wrong, "account:7");
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(69);
            assertThat(refused.err())
                    .contains("does not accept the user or the password")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void nothingIsMovedUnlessItWasMeant() throws Exception {
        // No terminal; the answer no; another token than was seen; back; twice; a name with a typing error.
        SqlFence fence = SqlFence.of("account-7");
        check(fence, LARGE);
        Launched refused = fence("move", "--at", url, "--to", "1", "account-7");
        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("--yes");
        Launched no = atTerminal("n");
        assertThat(no.exitCode()).as(no.out()).isEqualTo(1);
        assertThat(no.out()).contains("newest token it has seen is " + LARGE, "Nothing was changed");
        Launched other = fence("move", "--yes", "--at", url, "--to", "1", "--seen", "5", "account-7");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).contains("is " + LARGE + ", not 5", "Nothing was moved");
        check(fence, LARGE);
        Launched mistyped = fence("move", "--yes", "--at", url, "--to", "1", "acount-7");
        assertThat(mistyped.exitCode()).isEqualTo(1);
        assertThat(mistyped.err()).contains("has seen no token");

        assertThat(fence("move", "--yes", "--at", url, "--to", "2", "--seen", LARGE.toString(), "account-7")
                        .exitCode())
                .isZero();
        Launched twice = fence("move", "--yes", "--at", url, "--to", "2", "account-7");
        assertThat(twice.exitCode()).as(twice.err()).isZero();
        assertThat(twice.out()).contains("already at generation 2");
        Launched back = fence("move", "--yes", "--at", url, "--to", "1", "account-7");
        assertThat(back.exitCode()).isEqualTo(1);
        assertThat(back.err()).contains("cannot go back to 1");
        Launched yes = atTerminal("y");
        assertThat(yes.exitCode()).as(yes.out()).isEqualTo(1);
        check(fence.withGeneration(2), SMALL);
    }

    private Launched atTerminal(String answer) throws Exception {
        Path keys = Files.writeString(directory.resolve("keys"), answer + "\n");
        String move = Launched.LAUNCHER + " fence move --at " + url + " --to 1 account-7";
        return Launched.start(
                directory,
                Map.of("SHELL", "/bin/bash"),
                List.of("sh", "-c", "exec script -q -e -c '" + move + "' /dev/null < " + keys));
    }

    @Test
    void wrongPlacesAreRefusedAndNotCreated() throws Exception {
        Launched nowhere = Launched.start(
                directory,
                Map.of("HOLDFAST_URL", file()),
                List.of(Launched.LAUNCHER.toString(), "fence", "show", "account-7"));
        assertThat(nowhere.exitCode()).isEqualTo(64);
        assertThat(nowhere.err()).contains("--at URL", "HOLDFAST_URL is not used");
        Launched ensemble = fence("show", "--at", "zookeeper://127.0.0.1:2181/x", "account-7");
        assertThat(ensemble.exitCode()).isEqualTo(64);
        assertThat(ensemble.err()).contains("beside the data");
        Path missing = directory.resolve("missing.db");
        for (String at : List.of("sqlite:" + missing, "jdbc:sqlite:" + missing)) {
            Launched none = fence("show", "--at", at, "account-7");
            assertThat(none.exitCode()).isEqualTo(69);
            assertThat(none.err()).contains("There is no file");
        }
        assertThat(missing).doesNotExist();
        Path empty = Files.createFile(directory.resolve("empty.db"));
        Launched noTable = fence("move", "--yes", "--to", "1", "--at", "sqlite:" + empty, "account-7");
        assertThat(noTable.exitCode()).isEqualTo(69);
        assertThat(noTable.err()).contains("no table holdfast_guard").doesNotContain("CREATE TABLE");
        assertThat(fence("move", "--yes", "--at", file(), "account-7").exitCode())
                .isEqualTo(64);
        assertThat(fence("move", "--yes", "--to", "0", "--at", file(), "account-7")
                        .exitCode())
                .isEqualTo(64);
        assertThat(fence().exitCode()).isEqualTo(64);
        Launched help = fence("move", "--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("--to=GENERATION", "--seen", "--yes", "whatever their size", "69");
        Launched unused = fence("show", "--json", "--at", file(), "account-7");
        assertThat(unused.exitCode()).as(unused.err()).isZero();
        assertThat(unused.out()).isEqualTo("{\"resource\":\"account-7\",\"used\":false}\n");
    }
}
