package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd://a:1,b:2,c",
                "ETCD://[::1]:2379/shop/test",
                "etcd://us%40er:p%3Fw@a:1/shop",
                "etcd://user:p@ss/word@a:1",
                "etcd://a:1/shop/locks/2/test",
                "etcd://a:1/shop/2/locksmith",
                "etcd+tls://a:1"
            })
    void theseAreTaken(String url) {
        assertThat(EtcdBackend.connect(url)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://a:1",
                "etcd://",
                "etcd://a:x",
                "etcd://a:70000",
                "etcd://a,,b",
                "etcd://::1:2379",
                "etcd://user:s3cret@a:1?what=s3cret",
                "etcd://user:s3cret?more@a:1",
                "etcd://user:s3cret%zz@a:1",
                "etcd://a:1?ca=/x",
                "etcd+tls://a:1?cert=/x",
                "etcd://a:1/shop/",
                "etcd://a:1/shop/2/locks",
                "etcd://a:1/shop/2/locks/a",
                "etcd://a:1/shop/30/locks/a",
                "etcd+tls://a:1?ca=/no/such/file"
            })
    void theseAreRefusedWithoutShowingASecret(String url) {
        assertThatThrownBy(() -> EtcdBackend.connect(url))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(failure -> assertThat(String.valueOf(failure)).doesNotContain("s3cret"));
    }

    @Test
    void aChannelOfTheProgramHasItsOwnEncryption() {
        assertThatThrownBy(() -> EtcdBackend.over(new Refusing()).tls().connect())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingIsSentBeforeALockIsAskedFor() {
        try (Holdfast holdfast = Holdfast.over(EtcdBackend.over(new Refusing()).connect())) {
            assertThat(holdfast.lock("x")).isNotNull();
        }
    }

    private static final class Refusing extends io.grpc.Channel {
        @Override
        public <Q, A> io.grpc.ClientCall<Q, A> newCall(
                io.grpc.MethodDescriptor<Q, A> method, io.grpc.CallOptions options) {
            throw new AssertionError("Nothing was to be sent: " + method);
        }

        @Override
        public String authority() {
            return "nobody";
        }
    }
}
