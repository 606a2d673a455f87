package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the environment says to shells neither breaks the launcher, which is one, nor reaches the command changed. */
@ExtendWith(Launched.Cleanup.class)
class ShellSettingsIT {
    @TempDir
    Path directory;

    /** With nothing in its environment but these. Not started by a shell, which would add its own. */
    private Map<String, String> environmentOf(Map<String, String> variables, String... command) throws Exception {
        Map<String, String> all = new TreeMap<>(variables);
        all.put("PATH", System.getenv("PATH"));
        List<String> line = new ArrayList<>(List.of("env", "-i"));
        all.forEach((name, value) -> line.add(name + "=" + value));
        line.addAll(List.of(command));
        line.addAll(List.of("env", "-0"));
        Launched started = Launched.start(directory, Map.of(), line);
        assertThat(started.exitCode()).as(started.err()).isZero();
        assertThat(started.err()).isEmpty();
        return List.of(started.out().split("\0")).stream()
                .map(each -> each.split("=", 2))
                .filter(each -> !each[0].startsWith("HOLDFAST_"))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    }

    private void assertUnchanged(Map<String, String> variables) throws Exception {
        Map<String, String> found = environmentOf(
                variables, Launched.LAUNCHER.toString(), "run", "--at", "sqlite:" + directory + "/locks.db", "a", "--");
        assertThat(found).isEqualTo(environmentOf(variables));
    }

    @Test
    void optionsOfTheCallersShellDoNotBreakIt() throws Exception {
        // With noglob it could not close descriptors (127), with keyword it ran 'env' in place of its argument (64),
        // with
        // allexport it exported its own variables, and the command always found other options than it was given.
        for (String option :
                List.of("noglob", "keyword", "allexport", "errexit:nounset:posix:pipefail:noclobber:monitor")) {
            assertUnchanged(Map.of("SHELLOPTS", option));
        }
        assertUnchanged(Map.of("BASHOPTS", "nullglob:nocasematch"));
        assertUnchanged(Map.of("POSIXLY_CORRECT", "yes", "BASH_COMPAT", "3.2", "FUNCNEST", "1", "TMOUT", "1"));
    }

    @Test
    void functionsNamedLikeCommandsDoNotBreakIt() throws Exception {
        // It called them: '[' filled the disk with the output of an endless loop, 'read' never let it start the
        // command.
        Map<String, String> functions = new TreeMap<>();
        for (String name :
                List.of("[", "cd", "exec", "eval", "echo", "read", "trap", "set", "unset", "printf", "kill")) {
            functions.put("BASH_FUNC_" + name + "%%", "() {  echo hijacked\n}");
        }
        assertUnchanged(functions);
    }

    @Test
    void filesAndPathsOfTheCallersShellAreLeftAlone() throws Exception {
        // Options and functions that the file in BASH_ENV sets were those of the launcher too. That file is still run,
        // as by
        // every script.
        Path file = Files.writeString(directory.resolve("start"), "set -fku\ncd() { echo hijacked; }\n");
        assertUnchanged(Map.of("BASH_ENV", file.toString(), "CDPATH", "/usr:/tmp", "GLOBIGNORE", "*"));
    }

    @Test
    void variablesThatEveryShellChangesReachTheCommandAsTheyWere() throws Exception {
        // IFS and PS4 were reset, PS1 and OLDPWD dropped, PWD corrected, SHLVL raised. Without any of them PWD
        // appeared.
        assertUnchanged(Map.of());
        assertUnchanged(Map.of(
                "IFS",
                "x",
                "PS1",
                "1",
                "PS4",
                "$(echo 4)",
                "PWD",
                "/no/such",
                "OLDPWD",
                "/nor/this",
                "SHLVL",
                "7",
                "OPTIND",
                "5"));
    }

    @Test
    void aTimeLimitForReadingIsNotOneForTheCommand() throws Exception {
        // Where sh is bash, the watchdog took the end of TMOUT for the end of the JVM and killed the command.
        Launched run = Launched.start(
                directory,
                Map.of("TMOUT", "1"),
                List.of(Launched.LAUNCHER.toString(), "run", "a", "--", "sh", "-c", "sleep 3; echo done"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("done\n");
    }
}
