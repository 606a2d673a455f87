package dev.holdfast.http.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.Orders;
import dev.holdfast.http.WebServer;
import dev.holdfast.http.server.PresentedToken;
import dev.holdfast.http.server.TokenFilter;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Controllers that check in a transaction of Spring's, behind the filter. */
class SpringMvcIT {
    private DataSource database;
    private WebServer server;

    /** The check is the first statement of the transaction that writes. */
    @RestController
    @EnableWebMvc
    static class Controller {
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transactions;

        Controller(DataSource dataSource) {
            jdbc = new JdbcTemplate(dataSource);
            transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        }

        @GetMapping("/orders/{id}")
        String read() {
            return String.valueOf(jdbc.execute((ConnectionCallback<String>) Orders::read));
        }

        @PutMapping("/orders/{id}")
        String write(@RequestAttribute(PresentedToken.ATTRIBUTE) PresentedToken token, @RequestBody String content) {
            transactions.executeWithoutResult(status -> jdbc.execute((ConnectionCallback<Boolean>) connection -> {
                token.checkIn(connection);
                Orders.write(connection, content);
                return true;
            }));
            return "written";
        }

        @PutMapping("/later/{id}")
        Callable<String> writeLater(
                @RequestAttribute(PresentedToken.ATTRIBUTE) PresentedToken token, @RequestBody String content) {
            return () -> write(token, content);
        }
    }

    @BeforeEach
    void start() throws SQLException {
        database = Orders.newDatabase("at first");
        server = new WebServer(context -> {
            GenericWebApplicationContext spring = new GenericWebApplicationContext();
            AnnotationConfigUtils.registerAnnotationConfigProcessors(spring);
            spring.registerBean("database", DataSource.class, () -> database);
            spring.registerBean(Controller.class);
            var dispatcher = context.addServlet("dispatcher", new DispatcherServlet(spring));
            dispatcher.addMapping("/");
            dispatcher.setAsyncSupported(true);
            TokenFilter.checkedByHandlers().build().addTo(context, "/orders/*", "/later/*");
        });
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aStaleTokenRollsBackAndIsAConflict() throws Exception {
        assertThat(server.put("/orders/7", "of the new holder", 34).body()).isEqualTo("written");
        HttpResponse<String> refused = server.put("/orders/7", "of the old holder", 33);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
        assertThat(refused.body()).contains("tag:holdfast.dev,2026:stale-token");
        assertThat(server.send("GET", "/orders/7", "").body()).isEqualTo("of the new holder");
    }

    @Test
    void aControllerThatAnswersLaterIsTranslatedToo() throws Exception {
        assertThat(server.put("/later/7", "of the new holder", 34).body()).isEqualTo("written");
        HttpResponse<String> refused = server.put("/later/7", "of the old holder", 33);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("tag:holdfast.dev,2026:stale-token");
        assertThat(Orders.content(database)).isEqualTo("of the new holder");
    }
}
