package dev.holdfast.examples.orders;

import org.springframework.stereotype.Component;

/** Stands for the slow part of a sale, such as the request for a shipping slot: a process may be paused here for long. */
@Component
class Carrier {
    void reserveSlot(int item) {
        if (item < 0) {
            throw new IllegalArgumentException("no such item: " + item);
        }
    }
}
