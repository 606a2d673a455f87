package dev.holdfast.spring;

import dev.holdfast.LockTimeoutException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reads one {@link Locked}. Reports everything that is wrong with it, and goes on. */
final class LockedReader {
    /** Stands for what was reported already. */
    private static final String NOTHING = " ";

    private final MergedAnnotation<Locked> annotation;
    private final Method method;
    private final Class<?> targetClass;
    private final ResultKind result;
    private final ConfigurableBeanFactory beans;
    private final Consumer<String> report;

    LockedReader(
            MergedAnnotation<Locked> annotation,
            Method method,
            Class<?> targetClass,
            ResultKind result,
            ConfigurableBeanFactory beans,
            Consumer<String> report) {
        this.annotation = annotation;
        this.method = method;
        this.targetClass = targetClass;
        this.result = result;
        this.beans = beans;
        this.report = report;
    }

    LockDeclaration read() {
        String name = resolved("name");
        if (name.isBlank() && !name.equals(NOTHING)) {
            report.accept("the lock has no name");
        }
        String key = annotation.getString("key");
        Busy busy = annotation.getEnum("busy", Busy.class);
        return new LockDeclaration(name, key.isEmpty() ? null : key(key), terms(busy), whenBusy(busy));
    }

    private @Nullable LockKey key(String text) {
        Method declared = annotation.getSource() instanceof Method source ? source : method;
        return new LockKeyParser(declared, beans, report).parse(text);
    }

    private LockTerms terms(Busy busy) {
        Duration maxWait = duration("maxWait");
        if (maxWait == null) {
            maxWait = busy == Busy.THROW ? LockTerms.DEFAULT_WAIT : Duration.ZERO;
        }
        return new LockTerms(maxWait, duration("lease"), duration("atLeast"), duration("atMost"));
    }

    private @Nullable Duration duration(String attribute) {
        String text = resolved(attribute);
        if (text.isBlank()) {
            return null;
        }
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            report.accept(attribute + " = " + e.getMessage());
            return null;
        }
    }

    private String resolved(String attribute) {
        String text = annotation.getString(attribute);
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved == null || resolved.contains("${")) {
                report.accept(attribute + " = \"" + text + "\" names a property that is not set");
                return NOTHING;
            }
            return resolved;
        } catch (IllegalArgumentException e) {
            report.accept(attribute + " = \"" + text + "\": " + e.getMessage());
            return NOTHING;
        }
    }

    private WhenBusy whenBusy(Busy busy) {
        String fallback = annotation.getString("fallback");
        if (busy != Busy.FALLBACK && !fallback.isEmpty()) {
            report.accept("the fallback '" + fallback + "' is never called: set busy = FALLBACK");
        }
        return switch (busy) {
            case THROW -> WhenBusy.throwing();
            case SKIP -> skip();
            case FALLBACK -> fallback(fallback);
        };
    }

    private WhenBusy skip() {
        Class<?> type = Suspending.returnType(method);
        if (type.isPrimitive() && type != void.class) {
            report.accept("busy = SKIP has nothing to return as " + type + ": return an object, or use a fallback");
        } else if (Suspending.promisesAResult(method)) {
            report.accept("busy = SKIP has nothing to return as " + type.getSimpleName()
                    + ", which is never null: let the result be nullable, or use a fallback");
        }
        return WhenBusy.skipping(result, method);
    }

    private WhenBusy fallback(String name) {
        Class<?>[] parameters = method.getParameterTypes();
        List<Class<?>> andTimeout = new ArrayList<>(Arrays.asList(parameters));
        andTimeout.add(Suspending.parameterCount(method), LockTimeoutException.class);
        Method found = name.isEmpty()
                ? null
                : ReflectionUtils.findMethod(targetClass, name, andTimeout.toArray(Class<?>[]::new));
        if (found == null && !name.isEmpty()) {
            found = ReflectionUtils.findMethod(targetClass, name, parameters);
        }
        if (found == null) {
            report.accept("there is no fallback '" + name + "' with the same parameters, with or without a"
                    + " LockTimeoutException after them");
            return WhenBusy.throwing();
        }
        Class<?> wanted = Suspending.returnType(method);
        Class<?> returned = Suspending.returnType(found);
        if (!ClassUtils.isAssignable(wanted, returned)) {
            report.accept("its fallback '" + name + "' returns " + returned.getSimpleName() + ", which is not a "
                    + wanted.getSimpleName());
        }
        for (Class<?> thrown : found.getExceptionTypes()) {
            if (!isUnchecked(thrown) && !ReflectionUtils.declaresException(method, thrown)) {
                report.accept("its fallback '" + name + "' throws " + thrown.getSimpleName()
                        + ", which the method does not declare");
            }
        }
        return WhenBusy.calling(found);
    }

    private static boolean isUnchecked(Class<?> thrown) {
        return RuntimeException.class.isAssignableFrom(thrown) || Error.class.isAssignableFrom(thrown);
    }
}
