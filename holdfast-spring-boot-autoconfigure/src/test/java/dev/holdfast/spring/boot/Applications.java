package dev.holdfast.spring.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Whole applications, with Boot's own auto-configuration for what is on the class path. */
final class Applications {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Applications() {}

    static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        String[] arguments = Stream.concat(
                        Stream.of("server.port=0", "spring.main.banner-mode=off", "logging.level.root=warn"),
                        Arrays.stream(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return new SpringApplicationBuilder(application).run(arguments);
    }

    static HttpRequest.Builder request(ConfigurableApplicationContext application, String path) {
        String port = application.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60));
    }

    static HttpResponse<String> get(ConfigurableApplicationContext application, String path)
            throws IOException, InterruptedException {
        return send(request(application, path).build());
    }

    static HttpResponse<String> delete(ConfigurableApplicationContext application, String path)
            throws IOException, InterruptedException {
        return send(request(application, path).DELETE().build());
    }

    static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, BodyHandlers.ofString());
    }
}
