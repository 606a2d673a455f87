package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.demo.RedisServers;
import dev.holdfast.redis.RedisBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** ls, inspect, break, doctor, init. */
@ExtendWith(Launched.Cleanup.class)
class OperatorIT {
    @TempDir
    Path directory;

    private Launched holdfast(String at, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Launched.LAUNCHER.toString()));
        command.addAll(List.of(arguments));
        return Launched.start(directory, Map.of("HOLDFAST_URL", at, "HOSTNAME", "machine-1"), command);
    }

    private String file() {
        return "sqlite:" + directory.resolve("locks.db");
    }

    @Test
    void heldLocksAreListedAndInspected() throws Exception {
        // Two locks are held; one is looked for by prefix, one that nobody holds is inspected too.
        Launched first = holdfast(
                        file(),
                        "run",
                        "--describe",
                        "a \"quoted\" job",
                        "night/a",
                        "--",
                        "sh",
                        "-c",
                        "echo $HOLDFAST_TOKEN; exec sleep 600")
                .untilOut("\n");
        Launched second = holdfast(file(), "run", "other", "--", "sh", "-c", "echo ready; exec sleep 600")
                .untilOut("ready");
        String token = first.out().strip();

        Launched all = holdfast(file(), "ls");
        assertThat(all.exitCode()).as(all.err()).isZero();
        assertThat(all.out()).contains("NAME", "night/a", "other", "machine-1", token, "a \"quoted\" job", "  sh\n");
        Launched some = holdfast(file(), "ls", "--json", "night/");
        assertThat(some.exitCode()).isZero();
        assertThat(some.out())
                .startsWith(
                        "[{\"name\":\"night/a\",\"kind\":\"lock\",\"held\":true,\"holder\":{\"host\":\"machine-1\",\"pid\":"
                                + first.pid() + ",\"description\":\"a \\\"quoted\\\" job\"},\"firstToken\":\"" + token
                                + "\",\"lastToken\":\"" + token + "\",\"since\":\"2")
                .contains("\"remainingMillis\":", "\"waiters\":[]");
        Launched one = holdfast(file(), "inspect", "night/a");
        assertThat(one.exitCode()).isZero();
        assertThat(one.out()).contains("machine-1", Long.toString(first.pid()), token, "unless renewed");
        Launched free = holdfast(file(), "inspect", "--json", "free");
        assertThat(free.exitCode()).isZero();
        assertThat(free.out()).isEqualTo("{\"name\":\"free\",\"kind\":\"lock\",\"held\":false}\n");
        first.signal("TERM");
        second.signal("TERM");
        assertThat(first.exitCode()).isEqualTo(143);
        assertThat(second.exitCode()).isEqualTo(143);
        assertThat(holdfast(file(), "ls", "--json").untilOut("[]").exitCode()).isZero();
    }

    @Test
    void onRedisTheQueueIsShownToo() throws Exception {
        // One holds, one waits.
        try (RedisServers redis = RedisServers.start(1)) {
            Launched holder = holdfast(redis.redisUrl(), "run", "a", "--", "sh", "-c", "echo ready; exec sleep 600")
                    .untilOut("ready");
            Launched waiter =
                    holdfast(redis.redisUrl(), "run", "--describe", "next in line", "a", "--", "echo", "my turn");
            // Looked at from here: a command a look would keep the machine busy.
            try (Holdfast look = Holdfast.over(RedisBackend.connect(redis.redisUrl()))) {
                await().atMost(Launched.PATIENCE)
                        .until(() -> !look.inspect("a").orElseThrow().waiters().isEmpty());
            }
            Launched text = holdfast(redis.redisUrl(), "inspect", "a");
            assertThat(text.exitCode()).as(text.err()).isZero();
            assertThat(text.out()).matches("(?s).*next in line.* since 2\\S+ \\(.*");
            Launched json = holdfast(redis.redisUrl(), "inspect", "--json", "a");
            assertThat(json.exitCode()).as(json.err()).isZero();
            assertThat(json.out()).contains("\"description\":\"next in line\",\"since\":\"2");
            holder.signal("TERM");
            assertThat(holder.exitCode()).isEqualTo(143);
            assertThat(waiter.exitCode()).as(waiter.err()).isZero();
        }
    }

    @Test
    void aQuorumIsInitialisedOnceAndShowsItsVotes() throws Exception {
        // Init, and again; a lock with one server killed: its votes, and a doctor that names the server.
        try (RedisServers five = RedisServers.start(5)) {
            String url = five.redlockUrl();
            assertThat(Launched.holdfast(directory, "init", url).exitCode()).isZero();
            Launched again = Launched.holdfast(directory, "init", url);
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).contains("already");
            Launched healthy = holdfast(url, "doctor");
            assertThat(healthy.exitCode()).as(healthy.out() + healthy.err()).isZero();
            assertThat(healthy.out()).contains(" votes.", "The clock of the server is", "Redis 7.0.15");
            // Nobody said so, and whoever restarted all in a row had no quorum for a minute.
            assertThat(healthy.out()).contains("The next server may be restarted now", "[quorum.restart]");
            String killed = five.kill(4);
            Launched holder = holdfast(url, "run", "a", "--", "sh", "-c", "echo ready; exec sleep 600")
                    .untilOut("ready");
            Launched one = holdfast(url, "inspect", "a");
            assertThat(one.exitCode()).as(one.err()).isZero();
            // A server that is slow to answer is missing from the count, and not missed.
            assertThat(one.out())
                    .containsPattern("votes        [34] of 5")
                    .contains(killed + " did not vote, or did not answer");
            assertThat(holdfast(url, "inspect", "--json", "a")
                            .untilOut("\"others\":[\"")
                            .exitCode())
                    .isZero();
            Launched worried = holdfast(url, "doctor");
            // The help said 1 for what endangers the locks, and a warning ended with 0.
            assertThat(worried.exitCode()).as(worried.err()).isEqualTo(1);
            assertThat(worried.out())
                    .contains(killed, "A minority may be like that", "Do not restart another server now");
            holder.signal("TERM");
            assertThat(holder.exitCode()).isEqualTo(143);
        }
    }

    @Test
    void breakAsksFirst() throws Exception {
        // Without a terminal it refuses; at a terminal "n" changes nothing and "y" breaks; a free lock is no mistake.
        Launched holder = holdfast(file(), "run", "a", "--", "sh", "-c", "echo ready; exec sleep 600")
                .untilOut("ready");
        Launched refused = holdfast(file(), "break", "a");
        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("--yes");
        assertThat(atTerminal("n").exitCode()).isEqualTo(1);
        assertThat(holdfast(file(), "run", "--no-wait", "a", "--", "true").exitCode())
                .isEqualTo(75);
        Launched broken = atTerminal("y");
        assertThat(broken.exitCode()).as(broken.out()).isZero();
        assertThat(broken.out())
                .contains("Break the lock? [y/N]", "Broke lock 'a'", "process " + holder.pid())
                // Who did it was said nowhere.
                .contains("Broken by " + System.getProperty("user.name") + " on ");
        Launched nothing = holdfast(file(), "break", "--yes", "a");
        assertThat(nothing.exitCode()).isZero();
        assertThat(nothing.out()).contains("nothing to break");
    }

    private Launched atTerminal(String answer) throws Exception {
        Path keys = Files.writeString(directory.resolve("keys"), answer + "\n");
        return Launched.start(
                directory,
                Map.of("HOLDFAST_URL", file(), "SHELL", "/bin/bash"),
                List.of("sh", "-c", "exec script -q -e -c '" + Launched.LAUNCHER + " break a' /dev/null < " + keys));
    }

    @Test
    void doctorSaysWhatTheStorePromisesAndWhatEndangersIt() throws Exception {
        // A file is fine; a Redis that may evict keys is not; a server that does not answer is 69.
        Launched fine = holdfast(file(), "doctor");
        assertThat(fine.exitCode()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("reachable  yes", "exclusion", "was taken", "seen and released", "verdict    nothing");
        Launched silent = holdfast("redis://127.0.0.1:1", "doctor");
        assertThat(silent.exitCode()).isEqualTo(69);
        try (RedisServers redis = RedisServers.start(1, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
            Launched danger = holdfast(redis.redisUrl(), "doctor");
            assertThat(danger.exitCode()).as(danger.out() + danger.err()).isEqualTo(1);
            assertThat(danger.out()).contains("DANGER", "verdict    something endangers");
        }
    }

    @Test
    void initCreatesOnceAndRefusesTheSecondTime() throws Exception {
        // A new file, and the same again; over a JDBC URL likewise.
        Launched first = Launched.holdfast(directory, "init", file());
        assertThat(first.exitCode()).as(first.err()).isZero();
        Launched again = Launched.holdfast(directory, "init", file());
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("already", "Nothing was changed");
        // A file that is there with other tables in it is not prepared yet. It was refused, also after the tables of
        // another version had been dropped, where our own message says to run init.
        Path ours = directory.resolve("ours.db");
        try (Connection data = DriverManager.getConnection("jdbc:sqlite:" + ours);
                Statement statement = data.createStatement()) {
            statement.execute("CREATE TABLE account (id INTEGER PRIMARY KEY)");
        }
        Launched added = Launched.holdfast(directory, "init", "sqlite:" + ours);
        assertThat(added.exitCode()).as(added.err()).isZero();
        assertThat(added.out()).contains("Created the tables");
        assertThat(Launched.holdfast(directory, "init", "sqlite:" + ours).exitCode())
                .isEqualTo(1);
        String jdbc = "jdbc:sqlite:" + directory.resolve("other.db");
        // The table of guards is lasting data of its users, and no reason to keep locks out. It used to be one.
        try (Connection guards = DriverManager.getConnection(jdbc);
                Statement statement = guards.createStatement()) {
            statement.execute("CREATE TABLE holdfast_guard (resource BLOB PRIMARY KEY, token INTEGER NOT NULL)");
        }
        Launched created = Launched.holdfast(directory, "init", jdbc);
        assertThat(created.exitCode()).as(created.err()).isZero();
        assertThat(Launched.holdfast(directory, "init", jdbc).exitCode()).isEqualTo(1);
        Launched run = holdfast(jdbc, "run", "a", "--", "echo", "hi");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("hi\n");
    }

    @Test
    void demoTellsTheStory() throws Exception {
        // The command as the README shows it.
        Launched demo = Launched.holdfast(directory, "demo");
        assertThat(demo.exitCode(Duration.ofMinutes(5))).as(demo.err()).isZero();
        assertThat(demo.out())
                .contains("2400 increments in ", "the counter says 2400: none lost")
                .contains("later client 2 had it", "busy is true; client 1 asks: isValid() is true")
                .containsPattern("client 2 has it with [34] of 5 votes")
                .contains("Refused: Token", "the account holds [written by client 2]")
                .doesNotContain("BROKEN");
    }
}
