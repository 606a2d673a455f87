package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is wrong with a URL, no part of a password is repeated. Each of these messages used to show one. */
class SecretsTest {
    @Test
    void noMessageShowsAPassword() {
        for (String url : List.of(
                "zookeeper://app:hid/den@a:1",
                "zookeeper://app:hid@den@a:1/x//y",
                "zookeeper://app:hid%zzden@a:1",
                "zookeeper://app:hid?den@a:1",
                "zookeeper://app:hid?den=1&hidden@a:1",
                "zookeeper://app:hidden@a:port",
                "zookeeper://app:hidden@",
                "zookeeper://app:hidden@a b:1",
                "zookeeper://app:hidden@a:1?ticktime=2s",
                "zookeeper://app:hidden@a:1?tickTime=hidden",
                "zookeeper://app:hidden@a:1?syncLimit=hidden",
                "zookeeper://app:hidden@a:1?sessionTimeout=10s",
                "zookeeper://a:1?keyStorePassword=hidden",
                "zookeeper+tls://a:1?trustStore=/nowhere&trustStorePassword=hidden",
                "zookeeper+tls://a:1?trustStorePassword=hid%zzden",
                "app:hidden@a:1",
                "app:hidden@a:1/x//y",
                "hidden b:1")) {
            Throwable refusal = catchThrowable(() -> ZooKeeperBackend.connect(url));
            if (refusal != null) {
                assertThat(refusal).as(url).isInstanceOf(IllegalArgumentException.class);
                requireNoSecret(refusal);
            }
        }
    }

    @Test
    void aPasswordMayHaveTheCharactersOfAUrlInIt() {
        // It used to end at the first slash, and the rest of it was taken for a path that messages show.
        for (String password : List.of("hid/den", "hid@den", "hid;den", "hid:den", "hid/den@x/y")) {
            Settings settings = ZooKeeperBackend.connect("zookeeper://app:" + password + "@a:1/shop").settings;
            assertThat(settings.address()).isEqualTo(new Address("a:1", "/shop"));
            assertThat(settings.digest()).isEqualTo("app:" + password);
        }
    }

    @Test
    void theSettingsPrintWithoutTheDigest() {
        var settings = new Settings(
                null,
                Address.parse("a:1"),
                "holdfast",
                new Timing(java.time.Duration.ofSeconds(2), 5),
                java.time.Duration.ofSeconds(30),
                java.time.Duration.ofSeconds(5),
                null,
                "app:hidden",
                null);
        assertThat(settings.toString()).doesNotContain("hidden").contains("a:1");
    }

    /** Neither in a message, nor in the causes. */
    static void requireNoSecret(Throwable failure) {
        StringWriter printed = new StringWriter();
        failure.printStackTrace(new PrintWriter(printed));
        assertThat(printed.toString()).doesNotContain("hid", "den@", TlsServer.PASSWORD);
    }
}
