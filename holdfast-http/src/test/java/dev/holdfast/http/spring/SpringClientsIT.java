package dev.holdfast.http.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.http.TokenHeader;
import dev.holdfast.http.WebServer;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** The token in requests of Spring's clients, as a server receives them. */
class SpringClientsIT {
    private static final String NO_TOKEN = "none";

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend store = new InMemoryBackend();
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time)
            .lease(Duration.ofSeconds(10))
            .build();
    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private WebServer server;
    private Lease lease;

    @BeforeEach
    void start() throws Exception {
        server = new WebServer(context -> context.addServlet("receiver", new HttpServlet() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected void service(HttpServletRequest request, HttpServletResponse response) {
                        List<String> tokens = Collections.list(request.getHeaders(TokenHeader.NAME));
                        received.add(tokens.isEmpty() ? NO_TOKEN : String.join(" and ", tokens));
                    }
                })
                .addMapping("/*"));
        lease = holdfast.lock("order-7").acquire();
    }

    @AfterEach
    void stop() {
        server.close();
        holdfast.close();
    }

    private void lose() {
        store.controls().disconnect();
        time.advance(Duration.ofSeconds(11));
    }

    private String token() {
        return lease.token().toString();
    }

    private RestClient restClient(ClientHttpRequestInterceptor... interceptors) {
        return RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptors(all -> all.addAll(List.of(interceptors)))
                .build();
    }

    private void put(RestClient client) {
        client.put()
                .uri(server.uri("/orders/7"))
                .attributes(LeaseAttribute.of(lease))
                .body("x")
                .retrieve()
                .toBodilessEntity();
    }

    private Mono<?> put(WebClient client) {
        return client.put()
                .uri(server.uri("/orders/7"))
                .attributes(LeaseAttribute.of(lease))
                .bodyValue("x")
                .retrieve()
                .toBodilessEntity();
    }

    private WebClient webClient(LeaseExchangeFilter filter) {
        return WebClient.builder()
                .clientConnector(new JdkClientHttpConnector())
                .filter(filter)
                .build();
    }

    @Test
    void restClientSendsTheTokenOfTheLeaseThatTheRequestNames() {
        RestClient client = restClient(LeaseInterceptor.fromAttribute());
        put(client);
        client.put().uri(server.uri("/orders/7")).body("x").retrieve().toBodilessEntity();
        put(restClient(LeaseInterceptor.fromAttribute().withGeneration(2)));
        assertThat(received).containsExactly(token(), NO_TOKEN, "2:" + token());
    }

    @Test
    void restTemplateSendsTheTokenOfItsLease() {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(LeaseInterceptor.of(lease));
        template.put(server.uri("/orders/7"), "x");
        assertThat(received).containsExactly(token());
    }

    @Test
    void webClientSendsTheTokenOfTheLeaseThatTheRequestNames() {
        WebClient client = webClient(LeaseExchangeFilter.fromAttribute());
        put(client).block();
        client.put()
                .uri(server.uri("/orders/7"))
                .bodyValue("x")
                .retrieve()
                .toBodilessEntity()
                .block();
        put(webClient(LeaseExchangeFilter.fromAttribute().withGeneration(2))).block();
        assertThat(received).containsExactly(token(), NO_TOKEN, "2:" + token());
    }

    @Test
    void aRequestOfALostLeaseIsNotSent() {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(LeaseInterceptor.of(lease));
        lose();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> put(restClient(LeaseInterceptor.fromAttribute())));
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> template.put(server.uri("/orders/7"), "x"));
        assertThat(received).isEmpty();
    }

    @Test
    void webClientLooksAtTheLeaseWhenTheRequestIsSentNotWhenItIsAssembled() {
        Mono<?> request = put(webClient(LeaseExchangeFilter.fromAttribute()));
        request.block();
        lose();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(request::block);
        assertThat(received).containsExactly(token());
    }

    @Test
    void webClientLooksAgainWhenAFilterFurtherOutRepeatsTheRequest() {
        WebClient client = WebClient.builder()
                .clientConnector(new JdkClientHttpConnector())
                .filter((request, next) -> {
                    Mono<ClientResponse> exchange = next.exchange(request);
                    return exchange.flatMap(ClientResponse::releaseBody)
                            .then(Mono.fromRunnable(this::lose))
                            .then(exchange);
                })
                .filter(LeaseExchangeFilter.fromAttribute())
                .build();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> put(client).block());
        assertThat(received).containsExactly(token());
    }

    @Test
    void aRequestOfAClosedLeaseIsNotSent() {
        lease.close();
        assertThatIllegalStateException().isThrownBy(() -> put(restClient(LeaseInterceptor.fromAttribute())));
        Mono<?> request = put(webClient(LeaseExchangeFilter.fromAttribute()));
        assertThatIllegalStateException().isThrownBy(request::block);
        assertThat(received).isEmpty();
    }

    @Test
    void aRepeatHasTheTokenOnce() {
        // An interceptor further out sends the same request again, with the header that it got the first time.
        ClientHttpRequestInterceptor twice = (request, body, execution) -> {
            execution.execute(request, body).close();
            return execution.execute(request, body);
        };
        put(restClient(twice, LeaseInterceptor.fromAttribute()));
        restClient(LeaseInterceptor.fromAttribute())
                .put()
                .uri(server.uri("/orders/7"))
                .header(TokenHeader.NAME, token())
                .attributes(LeaseAttribute.of(lease))
                .retrieve()
                .toBodilessEntity();
        assertThat(received).containsExactly(token(), token(), token());
    }

    @Test
    void aSecondTokenIsRefused() throws Exception {
        Lease other = holdfast.lock("customer-3").acquire();
        String already = other.token() + "1";
        assertThatIllegalStateException()
                .isThrownBy(() -> restClient(LeaseInterceptor.fromAttribute())
                        .put()
                        .uri(server.uri("/orders/7"))
                        .header(TokenHeader.NAME, already)
                        .attributes(LeaseAttribute.of(lease))
                        .retrieve()
                        .toBodilessEntity())
                .withMessageContaining("of another lease");
        assertThat(received).isEmpty();
    }
}
