/** A shop: {@code OrderController} takes orders, {@code Stock} sells, {@code StockReport} reports once for all machines. */
@NullMarked
package dev.holdfast.examples.orders;

import org.jspecify.annotations.NullMarked;
