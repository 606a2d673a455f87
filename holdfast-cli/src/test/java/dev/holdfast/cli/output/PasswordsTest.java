package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was given in a URL is hidden wherever it turns up, without the URL around it too. */
class PasswordsTest {
    @AfterEach
    void forget() {
        Passwords.forgetAll();
    }

    // Each has the password s3cret#1, some in parts. None of the messages has the URL.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://s3cret#1@host",
                "redis://:s3cret#1@host",
                "redis://user:s3cret%231@host:6379/0",
                "rediss://user:p@s3cret#1@host",
                "redis:/:s3cret#1@host",
                "redlock://user:s3cret#1@a:1,b:2,c:3",
                "redlock://:s3cret#1@a:1,:other@b:2,:other@c:3",
                "redis+sentinel://user:s3cret#1@a:1,b:2/shop",
                "redis+sentinel://a:1,b:2/shop?sentinelPassword=s3cret%231&waitForReplicas=1",
                "rediss+cluster://:p@s3cret#1@a:1,b:2?waitForReplicas=1",
                "redis+cluster:s3cret#1@a:1",
                "zookeeper://user:s3cret#1/x@host:2181/path",
                "jdbc:postgresql://host/db?user=me&password=s3cret%231&ssl=true",
                "jdbc:mariadb://host/db?password=s3cret#1;x&user=me",
                "jdbc:sqlserver://host;password={a;s3cret#1};encrypt=true",
                "jdbc:oracle:thin:user/s3cret#1@host:1521:x"
            })
    void aPasswordThatWasGivenIsHiddenInAnyText(String url) {
        Passwords.remember(url);
        String masked = Passwords.mask("login 's3cret#1' failed; tried s3cret#1:6379 and (s3cret#1)");
        assertThat(masked).doesNotContain("s3cret#1").contains("login '", "failed");
        assertThat(Json.of(List.of("it is s3cret#1"))).doesNotContain("s3cret#1");
    }

    @Test
    void whatIsNoPasswordIsShown() {
        Passwords.remember("redis://user:test@host:6379");
        Passwords.remember("redis://:x@host:6379");
        Passwords.remember("sqlite:/home/me@work/locks.db");
        assertThat(Passwords.mask("the latest example at host:6379, user /home/me, test."))
                .isEqualTo("the latest example at host:6379, user /home/me, ***.");
    }

    @Test
    void numbersOfJsonStayNumbers() {
        // A password of digits would have made JSON that no program can read.
        Passwords.remember("redis://123456@host");
        assertThat(Json.of(List.of(123456, "123456"))).isEqualTo("[123456,\"***\"]");
    }
}
