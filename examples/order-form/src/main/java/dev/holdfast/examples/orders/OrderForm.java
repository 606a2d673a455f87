package dev.holdfast.examples.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The application. Start it twice: both share one stock. */
@SpringBootApplication
@EnableScheduling
public class OrderForm {
    /** Needs a Redis and a PostgreSQL, named by {@code spring.data.redis.*} and {@code spring.datasource.*}. */
    public static void main(String[] arguments) {
        SpringApplication.run(OrderForm.class, arguments);
    }
}
