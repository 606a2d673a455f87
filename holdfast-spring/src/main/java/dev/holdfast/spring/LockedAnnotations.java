package dev.holdfast.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/** Finds what is said about a method: on it or a method it overrides, otherwise on its class. The nearest place counts alone. */
final class LockedAnnotations {
    private LockedAnnotations() {}

    /** Empty if the method is not locked. */
    static List<MergedAnnotation<Locked>> of(Method method, Class<?> targetClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        if (specific.getDeclaringClass() == Object.class || specific.isSynthetic()) {
            return List.of();
        }
        List<MergedAnnotation<Locked>> onMethod = nearest(specific);
        if (!onMethod.isEmpty()) {
            return onMethod;
        }
        boolean covered = !Modifier.isPrivate(specific.getModifiers())
                && !Modifier.isStatic(specific.getModifiers())
                && !ReflectionUtils.isObjectMethod(specific);
        List<MergedAnnotation<Locked>> onClass = covered ? nearest(targetClass) : List.of();
        return isFallback(specific, onClass) ? List.of() : onClass;
    }

    /** A fallback of its own class would wait for the very lock that was busy. */
    private static boolean isFallback(Method method, List<MergedAnnotation<Locked>> onClass) {
        return onClass.stream().anyMatch(each -> each.getString("fallback").equals(method.getName()));
    }

    private static List<MergedAnnotation<Locked>> nearest(AnnotatedElement element) {
        List<MergedAnnotation<Locked>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(
                        Locked.class)
                .toList();
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream().filter(each -> each.getAggregateIndex() == nearest).toList();
    }
}
