package dev.holdfast.examples.points;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /customers/42/points}: answers with how many the customer has now. */
@RestController
class PointsController {
    private final Points points;

    PointsController(Points points) {
        this.points = points;
    }

    @PostMapping("/customers/{customer}/points")
    String add(@PathVariable long customer) {
        return Long.toString(points.add(customer));
    }
}
