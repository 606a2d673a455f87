package dev.holdfast.http.spring;

import dev.holdfast.Lease;
import dev.holdfast.http.HoldfastHeaders;
import dev.holdfast.http.TokenHeader;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Adds the token of a lease to requests of {@code WebClient}. It looks at the lease when the request is sent, so at each
 * subscription, not when it is assembled: a request whose lease is over ends with {@link dev.holdfast.LeaseLostException}, or
 * {@link IllegalStateException} if it was closed. Immutable.
 *
 * <pre>{@code
 * WebClient client = WebClient.builder().filter(LeaseExchangeFilter.fromAttribute()).build();
 * client.put().uri("/orders/7").attributes(LeaseAttribute.of(lease)).bodyValue(order).retrieve().toBodilessEntity();
 * }</pre>
 */
public final class LeaseExchangeFilter implements ExchangeFilterFunction {
    private final int generation;

    private LeaseExchangeFilter(int generation) {
        this.generation = generation;
    }

    /** For requests that name their lease with {@link LeaseAttribute}. Others are sent as they are. */
    public static LeaseExchangeFilter fromAttribute() {
        return new LeaseExchangeFilter(0);
    }

    /** The same, for guards that were moved to the tokens of another lock store. */
    public LeaseExchangeFilter withGeneration(int other) {
        return new LeaseExchangeFilter(other);
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> next.exchange(withToken(request)));
    }

    private ClientRequest withToken(ClientRequest request) {
        Lease lease = LeaseAttribute.in(request.attributes());
        if (lease == null) {
            return request;
        }
        String value = HoldfastHeaders.of(lease, generation).toString();
        LeaseInterceptor.requireNoOther(request.headers().getFirst(TokenHeader.NAME), value);
        return ClientRequest.from(request)
                .headers(headers -> headers.set(TokenHeader.NAME, value))
                .build();
    }
}
