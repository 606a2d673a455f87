package dev.holdfast.spring;

import java.lang.reflect.Method;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotationUtils;

/** Puts the interceptor around annotated methods. Created before most beans, so it asks for nothing until a method is called. */
@SuppressWarnings("serial") // Spring's base class is serialisable; this advisor belongs to one application.
final class LockedAdvisor extends AbstractPointcutAdvisor {
    private final transient Pointcut pointcut = new AnnotatedMethods();
    private final transient LockedInterceptor interceptor;

    LockedAdvisor(ObjectProvider<LockedMethods> methods, ObjectProvider<LockRunner> runner) {
        interceptor = new LockedInterceptor(methods, runner);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public LockedInterceptor getAdvice() {
        return interceptor;
    }

    private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {
        private AnnotatedMethods() {
            setClassFilter(candidates());
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return !LockedAnnotations.of(method, targetClass).isEmpty();
        }

        private static ClassFilter candidates() {
            return type -> AnnotationUtils.isCandidateClass(type, Locked.class);
        }
    }
}
