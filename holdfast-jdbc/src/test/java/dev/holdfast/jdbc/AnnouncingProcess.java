package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FencingToken;
import dev.holdfast.tck.OtherJvm;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of its own that announces a token, and ends. */
public final class AnnouncingProcess {
    private AnnouncingProcess() {}

    public static void main(String[] arguments) throws Exception {
        SqlFence fence = SqlFence.of(arguments[1]);
        FencingToken token = new FencingToken(Long.parseLong(arguments[2]));
        SqlNumber.transaction(Databases.unpooled(arguments[0]), connection -> {
            fence.announce(connection, token);
            return true;
        });
    }

    static void run(String url, String resource, FencingToken token) throws Exception {
        List<String> arguments = List.of(url, resource, token.toString());
        Process process = OtherJvm.of(AnnouncingProcess.class, AnnouncingProcess.class, arguments)
                .inheritIO()
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }
}
