package dev.holdfast.http.spring;

import dev.holdfast.Lease;
import dev.holdfast.http.HoldfastHeaders;
import dev.holdfast.http.TokenHeader;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Adds the token of a lease to requests of {@code RestClient} and {@code RestTemplate}, right before they are sent. A request whose
 * lease is over is not sent: {@link dev.holdfast.LeaseLostException}, or {@link IllegalStateException} if it was closed. Immutable.
 *
 * <pre>{@code
 * RestClient client = RestClient.builder().requestInterceptor(LeaseInterceptor.fromAttribute()).build();
 * client.put().uri("/orders/7").attributes(LeaseAttribute.of(lease)).body(order).retrieve().toBodilessEntity();
 * }</pre>
 */
public final class LeaseInterceptor implements ClientHttpRequestInterceptor {
    private final Function<Map<String, Object>, @Nullable Lease> leases;
    private final int generation;

    private LeaseInterceptor(Function<Map<String, Object>, @Nullable Lease> leases, int generation) {
        this.leases = leases;
        this.generation = generation;
    }

    /** For requests that name their lease with {@link LeaseAttribute}. Others are sent as they are. */
    public static LeaseInterceptor fromAttribute() {
        return new LeaseInterceptor(LeaseAttribute::in, 0);
    }

    /** For all requests of a client that is used under one lease: a {@code RestTemplate} knows no attributes. */
    public static LeaseInterceptor of(Lease lease) {
        Objects.requireNonNull(lease, "lease");
        return new LeaseInterceptor(attributes -> lease, 0);
    }

    /** The same, for guards that were moved to the tokens of another lock store. */
    public LeaseInterceptor withGeneration(int other) {
        return new LeaseInterceptor(leases, other);
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        Lease lease = leases.apply(request.getAttributes());
        if (lease != null) {
            String value = HoldfastHeaders.of(lease, generation).toString();
            requireNoOther(request.getHeaders().getFirst(TokenHeader.NAME), value);
            request.getHeaders().set(TokenHeader.NAME, value);
        }
        return execution.execute(request, body);
    }

    /** The same one is there when an interceptor further out sends the request again. */
    static void requireNoOther(@Nullable String present, String value) {
        if (present != null && !present.equals(value)) {
            throw new IllegalStateException("The request has a " + TokenHeader.NAME + " already, of another lease: "
                    + present + ". A request has one token, that of the lock which protects the resource it goes to.");
        }
    }
}
