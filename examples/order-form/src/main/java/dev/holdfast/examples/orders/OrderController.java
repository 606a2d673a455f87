package dev.holdfast.examples.orders;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /orders?item=1}: 201 if it was sold, 410 if nothing is left. */
@RestController
class OrderController {
    private final Stock stock;

    OrderController(Stock stock) {
        this.stock = stock;
    }

    @PostMapping("/orders")
    ResponseEntity<Void> order(@RequestParam int item) {
        return ResponseEntity.status(stock.sell(item) ? HttpStatus.CREATED : HttpStatus.GONE)
                .build();
    }
}
