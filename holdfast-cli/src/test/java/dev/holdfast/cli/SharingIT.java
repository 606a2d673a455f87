package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Semaphores and read-write locks from the shell. */
@ExtendWith(Launched.Cleanup.class)
class SharingIT {
    private static final String HOLD = "echo slot=$HOLDFAST_SLOT; exec sleep 600";

    @TempDir
    Path directory;

    private Launched holdfast(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Launched.LAUNCHER.toString()));
        command.addAll(List.of(arguments));
        return Launched.start(directory, Map.of("HOLDFAST_URL", "sqlite:" + directory.resolve("locks.db")), command);
    }

    private String out(String... arguments) throws Exception {
        Launched command = holdfast(arguments);
        assertThat(command.exitCode()).as(command.err()).isZero();
        return command.out();
    }

    @Test
    void atMostSoManyCommandsRunEachOnASlotOfItsOwn() throws Exception {
        // Two run, the third finds no permit. The operator sees both and breaks one: it ends, and its slot goes to the
        // next.
        Launched first = holdfast("run", "--permits", "2", "--describe", "one", "a", "--", "sh", "-c", HOLD)
                .untilOut("slot=0\n");
        Launched second = holdfast(
                        "run", "--permits", "2", "--lease", "3s", "--describe", "two", "a", "--", "sh", "-c", HOLD)
                .untilOut("slot=1\n");
        assertThat(holdfast("run", "--permits", "2", "--no-wait", "a", "--", "true")
                        .exitCode())
                .isEqualTo(75);
        // A name is another thing for each kind.
        assertThat(out("run", "--no-wait", "a", "--", "sh", "-c", "echo [$HOLDFAST_SLOT]"))
                .isEqualTo("[]\n");
        assertThat(out("ls")).containsPattern("one +semaphore, slot 0").containsPattern("two +semaphore, slot 1");
        assertThat(out("inspect", "--semaphore", "a")).contains("semaphore, slot 0", "semaphore, slot 1", "waiters");
        assertThat(out("inspect", "--semaphore", "--json", "a"))
                .startsWith(
                        "{\"name\":\"a\",\"kind\":\"semaphore\",\"held\":true,\"holders\":[{\"name\":\"a\",\"kind\":\"semaphore\",\"slot\":0,")
                .contains("\"slot\":1,");
        Launched vague = holdfast("break", "--yes", "--semaphore", "a");
        assertThat(vague.exitCode()).isEqualTo(64);
        assertThat(vague.err()).contains("--slot");
        assertThat(out("break", "--yes", "--semaphore", "--slot", "1", "a"))
                .contains("Broke semaphore 'a', slot 1", "two");
        assertThat(second.exitCode()).isEqualTo(76);
        assertThat(second.err()).contains("emaphore 'a'");
        assertThat(out("run", "--permits", "2", "a", "--", "sh", "-c", "echo $HOLDFAST_SLOT"))
                .isEqualTo("1\n");
        first.signal("TERM");
        assertThat(first.exitCode()).isEqualTo(143);
    }

    @Test
    void readersRunTogetherAndAWriterAlone() throws Exception {
        // Two read at once; a writer finds them, and gets it when both have ended.
        Launched one = holdfast("run", "--read", "a", "--", "sh", "-c", HOLD).untilOut("slot=\n");
        Launched two = holdfast("run", "--read", "a", "--", "sh", "-c", HOLD).untilOut("slot=\n");
        assertThat(out("ls", "--json")).contains("\"kind\":\"read-write-lock\",\"shared\":true");
        assertThat(holdfast("run", "--write", "--no-wait", "a", "--", "true").exitCode())
                .isEqualTo(75);
        Launched writer = holdfast("run", "--write", "a", "--", "sh", "-c", HOLD);
        one.signal("TERM");
        two.signal("TERM");
        assertThat(one.exitCode()).isEqualTo(143);
        assertThat(two.exitCode()).isEqualTo(143);
        writer.untilOut("slot=\n");
        assertThat(out("inspect", "--read-write", "a")).contains("read-write lock, writer");
        assertThat(holdfast("run", "--read", "--no-wait", "a", "--", "true").exitCode())
                .isEqualTo(75);
        writer.signal("TERM");
        assertThat(writer.exitCode()).isEqualTo(143);
    }

    @Test
    void aRunInsideARunThatKeepsEverythingIsRefused() throws Exception {
        // The outer one has the only permit, and waits for the inner one, which waits for a permit.
        String again = Launched.LAUNCHER + " run --pass-url --permits ";
        Launched stuck =
                holdfast("run", "--pass-url", "--permits", "1", "a", "--", "sh", "-c", again + "1 a -- echo never");
        assertThat(stuck.exitCode()).isEqualTo(64);
        assertThat(stuck.err()).contains("wait for each other for ever");
        Launched free =
                holdfast("run", "--pass-url", "--permits", "1", "a", "--", "sh", "-c", again + "2 a -- echo second");
        assertThat(free.exitCode()).as(free.err()).isZero();
        assertThat(free.out()).isEqualTo("second\n");
    }

    @Test
    void optionsThatDoNotFitAreRefused() throws Exception {
        for (List<String> wrong : List.of(
                List.of("run", "--permits", "0", "a", "--", "true"),
                List.of("run", "--permits", "1001", "a", "--", "true"),
                List.of("run", "--permits", "2", "--read", "a", "--", "true"),
                List.of("run", "--read", "--min-hold", "1s", "a", "--", "true"),
                List.of("inspect", "--semaphore", "--read-write", "a"),
                List.of("break", "--yes", "--slot", "1", "a"),
                List.of("break", "--yes", "--token", "1", "a"))) {
            assertThat(holdfast(wrong.toArray(String[]::new)).exitCode())
                    .as(wrong.toString())
                    .isEqualTo(64);
        }
    }
}
