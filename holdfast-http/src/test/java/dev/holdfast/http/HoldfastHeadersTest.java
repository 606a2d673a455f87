package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HoldfastHeadersTest {
    private final ManualTime time = new ManualTime();
    private final InMemoryBackend store = new InMemoryBackend();
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time)
            .lease(Duration.ofSeconds(10))
            .build();
    private final HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost/orders/7"));

    @Test
    void theTokenOfTheLeaseIsAdded() throws Exception {
        Lease lease = holdfast.lock("order-7").acquire();
        HttpRequest built = HoldfastHeaders.add(request, lease).build();
        assertThat(built.headers().allValues("holdfast-token"))
                .containsExactly(lease.token().toString());
    }

    @Test
    void theTokenOfANewLeaseReplacesTheOldOne() throws Exception {
        // The same builder serves a second attempt. Two headers would be refused by the server.
        holdfast.lock("order-7").run(first -> HoldfastHeaders.add(request, first));
        Lease second = holdfast.lock("order-7").acquire();
        HttpRequest built = HoldfastHeaders.add(request, second, 2).build();
        assertThat(built.headers().allValues("Holdfast-Token")).containsExactly("2:" + second.token());
    }

    @Test
    void aLostLeaseIsNotSent() throws Exception {
        Lease lease = holdfast.lock("order-7").acquire();
        store.controls().disconnect();
        time.advance(Duration.ofSeconds(11));
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> HoldfastHeaders.add(request, lease));
        assertThat(request.build().headers().map()).isEmpty();
    }

    @Test
    void aClosedLeaseIsNotSent() throws Exception {
        Lease lease = holdfast.lock("order-7").acquire();
        lease.close();
        assertThatIllegalStateException().isThrownBy(() -> HoldfastHeaders.add(request, lease));
        assertThat(request.build().headers().map()).isEmpty();
    }

    @Test
    void aGenerationBelowZeroIsRefused() throws Exception {
        Lease lease = holdfast.lock("order-7").acquire();
        assertThatIllegalArgumentException().isThrownBy(() -> HoldfastHeaders.add(request, lease, -1));
    }
}
