package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What is wrong with the use of {@link Locked}, collected so that all of it is told at once. */
final class Problems {
    private final List<String> found = new ArrayList<>();

    void add(Class<?> type, Method method, String problem) {
        found.add(describe(type, method) + ": " + problem);
    }

    void add(String problem) {
        found.add(problem);
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new LockedUsageException(found.stream().distinct().toList());
        }
    }

    static String describe(Class<?> type, Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        return type.getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
