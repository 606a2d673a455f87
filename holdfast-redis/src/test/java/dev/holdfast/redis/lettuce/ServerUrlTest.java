package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.quorum.RedlockUrl;
import dev.holdfast.redis.testing.StubServer;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ugly URLs: each is understood or refused, and the password in it is shown to nobody. */
class ServerUrlTest {
    @ParameterizedTest
    @CsvSource({
        "redis://s3cret@host, s3cret",
        "redis://s3cret@host:6379/0, s3cret",
        "redis://:s3cret@host, s3cret",
        "redis://alice:s3cret@host, s3cret",
        "redis://alice:s3@cret@host, s3@cret",
        "redis://alice:@s3cret@@host, @s3cret@",
        "redis://alice:s3;cret@host, s3;cret",
        "redis://alice:s3=cret&x@host, s3=cret&x",
        "redis://alice:s3%2Fcret%3F%23@host, s3/cret?#",
        "rediss://alice:s3cret@host?verifyPeer=NONE, s3cret",
    })
    void isUnderstood(String url, String password) {
        RedisURI uri = ServerUrl.parse(url);
        assertThat(LettuceClients.address(uri)).isEqualTo("host:6379");
        assertThat(new String(uri.getCredentialsProvider()
                        .resolveCredentials()
                        .block()
                        .getPassword()))
                .isEqualTo(password);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // The host used to be what stands before the slash: a part of the password, shown in every message.
                "redis://alice:s3cret/x@host",
                "redis://s3cret/x@host",
                "redis://s3cret?x@host",
                "redis://s3cret#x@host",
                "redis://alice:s3cret x@host",
                "redis://alice:s3cret\"<>@host",
                "redis://alice:s3cret%zz@host",
                "redis://:s3cret@",
                "redis://alice:s3cret@host:port",
                "redis:s3cret@host",
                "s3cret",
                "mysql://alice:s3cret@host",
                "rediss://host?sslKeyPassword=s3cret",
                "rediss://host?keyStore=s3cret",
                "redis://host?pasword=s3cret",
            })
    void isRefusedWithoutShowingIt(String url) {
        Throwable failure = catchThrowable(() -> RedisBackend.connect(url));
        assertThat(failure).isInstanceOf(IllegalArgumentException.class);
        assertThat(printed(failure)).doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redlock://s3cret@",
                "redlock://s3cret@a,,b",
                "redlock://alice:s3cret@a,b",
                "redlock://alice:s3cret,a,,b",
                "redlock://alice:s3cret@a,a,b",
                "redlocks://alice:s3/cret/s3cret@a,b,c",
                "redis-lock://s3cret@a,b,c",
            })
    void aQuorumIsRefusedWithoutShowingIt(String url) {
        Throwable failure = catchThrowable(() -> RedlockBackend.connect(url));
        assertThat(failure).isInstanceOf(IllegalArgumentException.class);
        assertThat(printed(failure)).doesNotContain("s3cret");
    }

    @Test
    void aCertificateInTheUrlIsRefusedWithTheWayThatWorks() {
        assertThatThrownBy(() -> ServerUrl.parse("rediss://host?sslCert=/a.pem"))
                .hasMessageContaining("'sslCert'")
                .hasMessageContaining("javax.net.ssl.keyStore");
    }

    @Test
    void aQuorumWithTlsIsOneOfServersWithTls() {
        assertThat(RedlockUrl.parse("redlocks://me:secret@a:1,b,[::1]:3/2"))
                .containsExactly("rediss://me:secret@a:1/2", "rediss://me:secret@b/2", "rediss://me:secret@[::1]:3/2");
    }

    @Test
    void aServerThatRepeatsThePasswordIsNotRepeated() throws Exception {
        // It does not know AUTH, and says with which arguments.
        try (StubServer stub = new StubServer(command -> command.equals("AUTH")
                ? "-ERR unknown command 'AUTH', with args beginning with: 'alice' 's3cret' "
                : "+OK")) {
            String url = stub.url().replace("redis://", "redis://alice:s3cret@");
            Throwable failure = catchThrowable(() -> RedisBackend.connect(url));
            assertThat(failure).isInstanceOf(LockUnavailableException.class);
            assertThat(printed(failure)).contains("AUTH").doesNotContain("s3cret");
        }
    }

    /** With everything that a log would show: causes and suppressed exceptions, too. */
    private static String printed(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
