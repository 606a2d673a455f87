package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.dashboard.Dashboard;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The console beside an application. */
class DashboardTest {
    private final HttpClient browser =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    private HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return browser.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    @Test
    void theActuatorGivesALinkThatOpensThePageOnceAndThePageEndsWithTheApplication() throws Exception {
        URI page;
        try (ConfigurableApplicationContext application = Applications.start(
                        App.class,
                        "holdfast.url=memory:",
                        "holdfast.close-grace=0s",
                        "holdfast.dashboard.enabled=true",
                        "management.endpoints.web.exposure.include=lockdashboard");
                Lease lease =
                        application.getBean(Holdfast.class).lock("order:1").acquire()) {
            HttpResponse<String> given = Applications.send(Applications.request(application, "/actuator/lockdashboard")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{}"))
                    .build());
            Matcher link = Pattern.compile("http://127[^\"]+").matcher(given.body());
            assertThat(link.find()).as(given.statusCode() + given.body()).isTrue();
            URI open = URI.create(link.group());
            page = open.resolve("/");
            assertThat(page).isEqualTo(application.getBean(Dashboard.class).uri());
            assertThat(get(page).statusCode()).isEqualTo(401);
            assertThat(get(open).statusCode()).isEqualTo(200);
            assertThat(get(open).statusCode()).isEqualTo(403);
            assertThat(get(page.resolve("api/session")).body()).contains("\"readOnly\":true");
            assertThat(Applications.get(application, "/actuator/lockdashboard").statusCode())
                    .isEqualTo(405);
            assertThat(lease.isValid()).isTrue();
        }
        Assertions.assertThatThrownBy(() -> get(page)).isInstanceOf(IOException.class);
    }

    @Test
    void withoutThePropertyThereIsNoConsole() {
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(DashboardAutoConfiguration.class))
                .withPropertyValues("holdfast.url=memory:")
                .run(context -> Assertions.assertThat(context.getBeansOfType(Dashboard.class))
                        .isEmpty());
    }

    @Test
    void anAddressForOthersWithoutAPasswordIsRefusedAtTheStart() {
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(DashboardAutoConfiguration.class))
                .withPropertyValues(
                        "holdfast.url=memory:", "holdfast.dashboard.enabled=true", "holdfast.dashboard.address=0.0.0.0")
                .run(Contexts.failsWith("set a password", "holdfast.dashboard.password"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
