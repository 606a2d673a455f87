package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    // Every text holds the password s3cret. Some were printed by doctor, some by drivers that quote the URL.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://s3cret@host:6379",
                "redis://:s3cret@host:6379/0",
                "rediss://user:s3cret@host",
                "redlock://s3cret@a:1,b:2,c:3",
                "redlock://:s3cret@a:1,:s3cret@b:2,:s3cret@c:3",
                "redis://user:p@s3cret@host:6379",
                "redis://user:password@s3cret@host:6379",
                "redis://user:p/s3cret@host:6379",
                "redis://user:p;s3cret@host:6379",
                "redis://user:s3cret;x@y/z@host:6379/0?timeout=1s",
                "redis-sentinel://user:s3cret@a:1,b:2#mymaster",
                "zookeeper://user:s3cret@a:2181,b:2181/path?tickTime=2s",
                "etcd://user:s3cret@host",
                "jdbc:postgresql://user:s3cret@host/db",
                "jdbc:postgresql://host/db?user=a&password=s3cret",
                "jdbc:postgresql://host/db?password=s3cret&ssl=true",
                "jdbc:postgresql://host/db?sslpassword=s3cret",
                "jdbc:mariadb://host/db?user=a&password=a&s3cret",
                "jdbc:mysql://host/db?trustCertificateKeyStorePassword=s3cret&useSSL=true",
                "jdbc:h2:tcp://host/db;USER=sa;PASSWORD=s3cret",
                "jdbc:h2:tcp://host/db;PASSWORD=a;s3cret;MODE=MySQL",
                "jdbc:sqlserver://host;databaseName=x;password={a;s3cret};encrypt=true",
                "jdbc:oracle:thin:user/s3cret@host:1521:x",
                "No suitable driver found for jdbc:foo://user:s3cret@host/db, look at it",
                "cannot connect to 'redis://s3cret@host': refused",
                "Properties {user=a, password=s3cret, ssl=true}"
            })
    void noPasswordIsShown(String text) {
        assertThat(Secrets.mask(text)).doesNotContain("s3cret").contains("***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://host:6379/0",
                "redlock://a:1,b:2,c:3",
                "jdbc:postgresql://host/db?user=a&ssl=true",
                "Redis at host:6379 does not accept the user or the password: check them in the URL",
                "mail me@example.org",
                "[--password-file=PATH] [--port=N]",
                "it should look like rediss://user:password@host:6379/0",
                "lock 'a=b' is held by x@host (process 7)"
            })
    void whatHoldsNoneIsLeftAsItIs(String text) {
        assertThat(Secrets.mask(text)).isEqualTo(text);
    }

    @Test
    void whatStandsAroundThePasswordIsKept() {
        assertThat(Secrets.mask("a jdbc:h2:tcp://host/db;PASSWORD=a;s3cret;MODE=MySQL b"))
                .isEqualTo("a jdbc:h2:tcp://host/db;PASSWORD=***;MODE=MySQL b");
        assertThat(Secrets.mask("redis://u:s3cret@host:6379/0 x")).isEqualTo("redis://***@host:6379/0 x");
    }

    @Test
    void causesAndSuppressedExceptionsShowNoneEither() {
        Exception cause = new SQLException("jdbc:foo://user:s3cret@host is not known");
        Exception failure = new IllegalStateException("outer", cause);
        failure.addSuppressed(new IllegalStateException("password=s3cret"));
        cause.addSuppressed(failure); // a circle must end

        Throwable masked = Secrets.mask(failure);

        StringWriter printed = new StringWriter();
        masked.printStackTrace(new PrintWriter(printed));
        assertThat(printed.toString())
                .doesNotContain("s3cret")
                .contains("java.lang.IllegalStateException: outer")
                .contains("java.sql.SQLException: jdbc:foo://***@host is not known");
        assertThat(masked.getStackTrace()).isEqualTo(failure.getStackTrace());
    }

    @Test
    void aFailureThatShowsNoneStaysItself() {
        Exception failure = new IllegalStateException("outer", new SQLException("no such table"));
        assertThat(Secrets.mask(failure)).isSameAs(failure);
    }
}
