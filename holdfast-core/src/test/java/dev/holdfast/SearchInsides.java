package dev.holdfast;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicInteger;

/** Looks where nobody else needs to look. */
final class SearchInsides {
    private static final Field UNDERWAY = field(Engine.class, "underway");
    private static final Field ALARMS = field(Timers.class, "size");

    private SearchInsides() {}

    /** Releases and withdrawals that are not confirmed. */
    static int underway(Engine engine) {
        try {
            return ((AtomicInteger) UNDERWAY.get(engine)).get();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    static int alarms(Timers timers) {
        try {
            return ALARMS.getInt(timers);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }
}
