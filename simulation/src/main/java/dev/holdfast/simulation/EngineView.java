package dev.holdfast.simulation;

import dev.holdfast.Holdfast;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Looks where nobody else needs to look: what a Holdfast still has in its memory. */
final class EngineView {
    private final Map<?, ?> names;
    private final AtomicInteger underway;
    private final Object timers;
    private static final Field ENGINE = field(Holdfast.class, "engine");
    private static final Field NAMES = field(ENGINE.getType(), "names");
    private static final Field UNDERWAY = field(ENGINE.getType(), "underway");
    private static final Field TIMERS = field(ENGINE.getType(), "timers");
    private static final Field ALARMS = field(TIMERS.getType(), "size");

    EngineView(Holdfast holdfast) {
        Object engine = get(ENGINE, holdfast);
        names = (Map<?, ?>) get(NAMES, engine);
        underway = (AtomicInteger) get(UNDERWAY, engine);
        timers = get(TIMERS, engine);
    }

    boolean knows(String name) {
        return names.containsKey(name);
    }

    /** Releases and withdrawals that are not confirmed. */
    int underway() {
        return underway.get();
    }

    boolean isQuiet() {
        return names.isEmpty() && underway.get() == 0;
    }

    int alarms() {
        return (Integer) get(ALARMS, timers);
    }

    @Override
    public String toString() {
        return names.size() + " names, " + underway.get() + " under way, " + alarms() + " alarms";
    }

    private static Object get(Field field, Object of) {
        try {
            return field.get(of);
        } catch (IllegalAccessException e) {
            throw new LinkageError(field.toString(), e);
        }
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new LinkageError(name, e);
        }
    }
}
