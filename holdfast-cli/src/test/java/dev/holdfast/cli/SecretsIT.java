package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** No password leaves the process, whatever the URL looks like and whatever goes wrong. */
@ExtendWith(Launched.Cleanup.class)
class SecretsIT {
    /** Nobody listens there. */
    private static final List<String> UGLY = List.of(
            "redis://s3cret@127.0.0.1:1",
            "redis://:s3cret@127.0.0.1:1/0",
            "rediss://user:s3cret@127.0.0.1:1",
            "redis://user:p@s3cret@127.0.0.1:1",
            "redis://user:p/s3cret@127.0.0.1:1",
            "redis://user:p;s3cret?x=y#z@127.0.0.1:1",
            "redis:s3cret@127.0.0.1:1",
            "redlock://s3cret@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3",
            "redlock://:s3cret@127.0.0.1:1,:s3cret@127.0.0.1:2,:s3cret@127.0.0.1:3",
            "redlock://user:s3cret/x@127.0.0.1:1,127.0.0.1:1",
            "redis+sentinel://user:s3cret@127.0.0.1:1,127.0.0.1:2/shop",
            "redis+sentinel://127.0.0.1:1/shop?sentinelPassword=s3cret",
            "redis+sentinel://127.0.0.1:1/shop?sentinelPassword=%zzs3cret",
            "redis+sentinel://user:s3cret@127.0.0.1:1",
            "rediss+cluster://:s3cret@127.0.0.1:1,127.0.0.1:2",
            "redis+cluster://user:p/s3cret@127.0.0.1:1",
            "redis+cluster:s3cret@127.0.0.1:1",
            "zookeeper://user:s3cret@127.0.0.1:1/path",
            "zookeeper://user:s3cret/x@127.0.0.1:1/path?ticks=4",
            "jdbc:postgresql://user:s3cret@127.0.0.1:1/db",
            "jdbc:postgresql://127.0.0.1:1/db?user=a&password=s3cret&sslmode=nonsense",
            "jdbc:mariadb://127.0.0.1:1/db?user=a&password=b;s3cret",
            "jdbc:mariadb://user:s3cret@127.0.0.1:1/db?x=%zz",
            "jdbc:mysql://127.0.0.1:1/db?user=a&password=s3cret",
            "jdbc:nobody://user:s3cret@host/db",
            "jdbc:oracle:thin:user/s3cret@host:1521:x",
            "reddis://user:s3cret@host",
            "reddis:s3cret@host",
            "s3cret",
            "user:s3cret@host",
            "//user:s3cret@host");

    @TempDir
    Path directory;

    @Test
    void uglyUrlsAreShownWithoutTheirPasswords() throws Exception {
        // doctor printed redis://s3cret@host as it was, and so did every message about the store; a password with @, ;
        // or /
        // was cut in two, and one half shown. All in one process, which forgets between them what it was given.
        List<String> command = new ArrayList<>(java(ManyCommands.class));
        command.addAll(UGLY);
        Launched all = Launched.start(directory, Map.of(), command);
        assertThat(all.exitCode(Duration.ofMinutes(10)))
                .as(all.out() + all.err())
                .isZero();
        assertThat(all.out() + all.err()).doesNotContain("s3cret").doesNotContain("\tat ");
        assertThat(all.out())
                .contains("doctor: 69", "init: 69", "init: 64", "ls: 64")
                .doesNotContain(": 70");
    }

    @Test
    void runShowsNoneEither() throws Exception {
        // By the launcher, a store of each kind at a time.
        List<Launched> runs = new ArrayList<>();
        for (String url :
                UGLY.stream().filter(each -> each.contains("127.0.0.1:1")).toList()) {
            runs.add(start(List.of("run", "--no-wait", "--at", url, "a", "--", "true")));
            if (runs.size() == 5) {
                assertNothingIsShown(runs);
            }
        }
        assertNothingIsShown(runs);
    }

    private static void assertNothingIsShown(List<Launched> runs) throws Exception {
        for (Launched each : runs) {
            assertThat(each.exitCode()).as(each.err()).isIn(64, 69);
            assertThat(each.err())
                    .doesNotContain("s3cret")
                    .doesNotContain("\tat ")
                    .startsWith("holdfast: ");
        }
        runs.clear();
    }

    private static List<String> java(Class<?> program) {
        Path app = Launched.LAUNCHER.getParent().resolveSibling("lib");
        String classes = Path.of("target", "test-classes").toAbsolutePath() + ":" + app + "/*";
        return List.of("java", "-cp", classes, program.getName());
    }

    private Launched start(List<String> command) throws Exception {
        return Launched.holdfast(directory, command.toArray(String[]::new));
    }

    @Test
    void aPasswordIsHiddenWhereverItTurnsUp() throws Exception {
        // The URL is right; the password stands in what somebody else wrote into the store, and in an answer of a
        // server.
        try (RedisServers redis = RedisServers.start(1, "--requirepass", "s3cret@1/x")) {
            String url = redis.redisUrl().replace("://", "://:s3cret%401%2Fx@");
            Launched holder = start(List.of(
                            "run",
                            "--at",
                            url,
                            "--describe",
                            "psql s3cret@1/x, redis://me:other@host",
                            "a",
                            "--",
                            "sh",
                            "-c",
                            "echo ready; exec sleep 600"))
                    .untilOut("ready");
            for (List<String> command : List.of(
                    List.of("ls", "--at", url),
                    List.of("ls", "--json", "--at", url),
                    List.of("inspect", "--at", url, "a"),
                    List.of("run", "--no-wait", "--at", url, "a", "--", "true"))) {
                Launched shown = start(command);
                int code = shown.exitCode();
                assertThat(shown.out() + shown.err())
                        .as(command + " ended with " + code)
                        .contains("psql ***")
                        .doesNotContain("s3cret", "other");
            }
            Launched examined = start(List.of("doctor", "--at", url));
            assertThat(examined.exitCode()).isNotEqualTo(69);
            assertThat(examined.out() + examined.err())
                    .contains("store      redis://***@127")
                    .doesNotContain("s3cret");
            Launched refused = start(List.of("doctor", "--at", redis.redisUrl().replace("://", "://me:wr0ng-one@")));
            assertThat(refused.exitCode()).isEqualTo(69);
            assertThat(refused.out() + refused.err()).contains("password").doesNotContain("wr0ng-one");
            holder.signal("TERM");
        }
    }

    @Test
    void aStackTraceShowsNoneEither() throws Exception {
        // Mistakes of ours, uncaught exceptions and what a library prints for itself went straight to stderr.
        List<String> command = new ArrayList<>(java(Broken.class));
        command.add("redis://user:p@s3cret/x@host:1");
        Launched broken = Launched.start(directory, Map.of(), command);
        assertThat(broken.exitCode()).as(broken.err()).isEqualTo(70);
        assertThat(broken.err())
                .doesNotContain("s3cret", "\u001b")
                .contains("java.lang.IllegalStateException: no redis://***@host:1", "Caused by", "Suppressed")
                .contains(
                        "in a thread of a library: redis://***@host:1", "half a line of a library: redis://***@host:1")
                .contains("Broken.main");
    }
}
