package dev.holdfast.examples.points;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. Start it twice: both add to the same points. */
@SpringBootApplication
public class PointsApplication {
    /** Needs a Redis, named by {@code spring.data.redis.*}. */
    public static void main(String[] arguments) {
        SpringApplication.run(PointsApplication.class, arguments);
    }
}
