package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a URL says to its sentinels. */
class SentinelUrlTest {
    private static RedisURI sentinel(String url) {
        return RedisAddress.parse(url).single().getSentinels().get(0);
    }

    private static String password(RedisURI uri) {
        char[] password =
                uri.getCredentialsProvider().resolveCredentials().block().getPassword();
        return String.valueOf(password);
    }

    @Test
    void aPlusInThePasswordOfSentinelsIsAPlus() {
        // It was taken for a space, and the sentinels refused it.
        assertThat(password(sentinel("redis+sentinel://a:1/shop?sentinelPassword=a+b%2Fc")))
                .isEqualTo("a+b/c");
    }

    @Test
    void aPasswordThatCannotBeReadIsNotRepeated() {
        // The message showed the two characters behind the percent sign.
        assertThatThrownBy(() -> RedisAddress.parse("redis+sentinel://a:1/shop?sentinelPassword=%zz9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("%25")
                .hasMessageNotContaining("zz");
    }

    @Test
    void theTimeoutIsThatOfTheUrl() {
        // It was a minute, whatever the URL said.
        RedisURI uri =
                RedisAddress.parse("redis+sentinel://a:1/shop?timeout=7s").single();
        assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(uri.getSentinels().get(0).getTimeout()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aClusterIsNothingForAClientOfOneServer() {
        RedisAddress cluster = RedisAddress.parse("redis+cluster://a:1,b:2");
        assertThatThrownBy(cluster::single)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RedisClusterClient");
    }
}
