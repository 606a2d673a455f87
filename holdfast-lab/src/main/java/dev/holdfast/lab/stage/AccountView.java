package dev.holdfast.lab.stage;

import java.util.List;

/**
 * An account, as its server keeps it.
 *
 * @param due what the balance would be if no deposit had been lost
 * @param newest the highest token that the guard has seen; 0 where none was shown
 * @param entries the last deposits, newest first: client, deposit, token, balance before and after
 */
public record AccountView(long balance, long due, long newest, List<String> entries) {
    static final long OPENING_BALANCE = 100;
    static final AccountView OPENED = new AccountView(OPENING_BALANCE, OPENING_BALANCE, 0, List.of());

    public AccountView {
        entries = List.copyOf(entries);
    }

    public boolean isRight() {
        return balance == due;
    }
}
