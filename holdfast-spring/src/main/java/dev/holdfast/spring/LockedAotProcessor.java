package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Keeps in a native image what the annotated methods of a bean need: themselves, their fallbacks, what their keys look into. */
final class LockedAotProcessor implements BeanRegistrationAotProcessor {
    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
            return null;
        }
        List<Method> locked = new ArrayList<>();
        ReflectionUtils.doWithMethods(
                type,
                locked::add,
                method -> ReflectionUtils.USER_DECLARED_METHODS.matches(method)
                        && !LockedAnnotations.of(method, type).isEmpty());
        return locked.isEmpty()
                ? null
                : (generation, code) -> locked.forEach(
                        each -> keep(each, type, generation.getRuntimeHints().reflection()));
    }

    private static void keep(Method method, Class<?> type, ReflectionHints hints) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        for (MergedAnnotation<Locked> each : LockedAnnotations.of(method, type)) {
            if (!each.getString("key").isEmpty()) {
                for (Class<?> parameter : method.getParameterTypes()) {
                    hints.registerType(parameter, MemberCategory.INVOKE_PUBLIC_METHODS);
                }
            }
            String fallback = each.getString("fallback");
            ReflectionUtils.doWithMethods(
                    type,
                    found -> hints.registerMethod(found, ExecutableMode.INVOKE),
                    candidate -> candidate.getName().equals(fallback));
            if (each.getSource() instanceof Method declared) {
                hints.registerMethod(declared, ExecutableMode.INVOKE);
            }
        }
    }
}
