package dev.holdfast;

import java.io.IOException;

/** Throws a checked exception where none is declared, as languages without checked exceptions do. */
final class Sneaky {
    private Sneaky() {}

    static RuntimeException checked() {
        throw Sneaky.<RuntimeException>sneak(new IOException("a checked exception that nobody declared"));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X sneak(Throwable any) throws X {
        throw (X) any;
    }
}
