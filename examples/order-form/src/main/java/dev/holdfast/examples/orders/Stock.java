package dev.holdfast.examples.orders;

import dev.holdfast.spring.Locked;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sells what is there. It reads, thinks and writes what it thought: right only if nobody else sells meanwhile. */
@Service
class Stock {
    private final JdbcTemplate database;
    private final Carrier carrier;

    Stock(JdbcTemplate database, Carrier carrier) {
        this.database = database;
        this.carrier = carrier;
    }

    /** Sells one piece. Returns whether there was one. */
    @Locked(name = "stock", key = "#item", fenced = true, maxWait = "60s")
    @Transactional
    public boolean sell(int item) {
        List<Integer> quantity =
                database.queryForList("SELECT quantity FROM stock WHERE item = ?", Integer.class, item);
        if (quantity.isEmpty() || quantity.get(0) == 0) {
            return false;
        }
        carrier.reserveSlot(item);
        database.update("UPDATE stock SET quantity = ? WHERE item = ?", quantity.get(0) - 1, item);
        database.update("INSERT INTO orders (item) VALUES (?)", item);
        return true;
    }
}
