package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Looks at all beans once they exist, and stops the application if {@link Locked} stands where it cannot work. */
final class LockedChecker implements SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final LockedMethods methods;
    private final ObjectProvider<Holdfast> holdfasts;
    private boolean anyLocked;

    LockedChecker(ConfigurableListableBeanFactory beans, LockedMethods methods, ObjectProvider<Holdfast> holdfasts) {
        this.beans = beans;
        this.methods = methods;
        this.holdfasts = holdfasts;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Problems problems = new Problems();
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : targetClass(name);
            if (type != null && AnnotationUtils.isCandidateClass(type, Locked.class)) {
                Class<?> userClass = ClassUtils.getUserClass(type);
                ReflectionUtils.doWithMethods(
                        userClass,
                        method -> check(name, userClass, method, problems),
                        ReflectionUtils.USER_DECLARED_METHODS);
            }
        }
        if (anyLocked && beans.getBeanNamesForType(Holdfast.class, false, false).length == 0) {
            problems.add("there is no bean of type " + Holdfast.class.getName()
                    + ": declare one, for example Holdfast.over(backend)");
        }
        problems.throwIfAny();
    }

    private @Nullable Class<?> targetClass(String name) {
        try {
            return AutoProxyUtils.determineTargetClass(beans, name);
        } catch (RuntimeException unknown) {
            // A bean whose type cannot be told before it is made, as Spring's own scans treat it.
            return null;
        }
    }

    private void check(String bean, Class<?> type, Method method, Problems problems) {
        int modifiers = method.getModifiers();
        boolean unreachable = Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers);
        if (unreachable) {
            if (MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Locked.class)) {
                problems.add(
                        type,
                        method,
                        "a private or static method is called without the proxy, and would not be locked");
            }
            return;
        }
        if (LockedAnnotations.of(method, type).isEmpty()) {
            return;
        }
        anyLocked = true;
        checkProxy(bean, type, method, problems);
        LockedMethod read = methods.read(method, type, problems);
        Holdfast holdfast = holdfasts.getIfUnique();
        for (LockDeclaration each : holdfast == null ? List.<LockDeclaration>of() : read.locks()) {
            checkTerms(holdfast, each, problem -> problems.add(type, method, problem));
        }
    }

    /** What depends on how Holdfast was built: the longest lease, and what the store can do. */
    private static void checkTerms(Holdfast holdfast, LockDeclaration declaration, Consumer<String> report) {
        try {
            declaration.terms().applyTo(holdfast.lock("any"));
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            report.accept(String.valueOf(e.getMessage()));
        }
    }

    private void checkProxy(String bean, Class<?> type, Method method, Problems problems) {
        Object instance = beans.getSingleton(bean);
        boolean byInterface = instance != null && AopUtils.isJdkDynamicProxy(instance);
        if (Modifier.isFinal(method.getModifiers()) && !byInterface) {
            problems.add(type, method, "a final method cannot be overridden by the proxy, and would not be locked");
        }
        if (instance != null && type.isInstance(instance) && !AopUtils.isAopProxy(instance)) {
            problems.add(
                    type,
                    method,
                    "the bean '" + bean
                            + "' was made before locking could be added to it, because a bean post-processor"
                            + " needs it: inject it there lazily");
        }
    }
}
