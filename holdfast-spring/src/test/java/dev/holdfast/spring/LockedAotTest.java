package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ReflectionUtils;

/** What is kept for a native image, and that an application with locks can be processed ahead of time. */
class LockedAotTest {
    private static final RuntimeHints HINTS = hintsOf(Service.class);

    /** Of this module alone: Spring keeps more of a bean, for reasons of its own. */
    private static RuntimeHints hintsOf(Class<?> type) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(type));
        TestGenerationContext generation = new TestGenerationContext();
        BeanRegistrationAotContribution contribution =
                new LockedAotProcessor().processAheadOfTime(RegisteredBean.of(beans, "bean"));
        if (contribution != null) {
            contribution.applyTo(generation, null);
        }
        return generation.getRuntimeHints();
    }

    @Test
    void anApplicationIsProcessedAheadOfTime() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(Application.Locks.class, Service.class);
            TestGenerationContext generation = new TestGenerationContext();
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
            Method later = ReflectionUtils.findMethod(Service.class, "later", Order.class);
            assertThat(RuntimeHintsPredicates.reflection().onMethod(later).invoke())
                    .accepts(generation.getRuntimeHints());
        }
    }

    @Test
    void aBeanWithoutLocksNeedsNothing() {
        assertThat(hintsOf(Other.class).reflection().typeHints()).isEmpty();
    }

    @Test
    void theAnnotationsAndTheRootOfKeysAreKept() {
        RuntimeHints own = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .forEach(each -> each.registerHints(own, getClass().getClassLoader()));
        for (Class<?> type : new Class<?>[] {Locked.class, Locked.Several.class}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                    .accepts(own);
        }
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(KeyRoot.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(own);
    }

    @Test
    void lockedMethodsAndTheirFallbacksAreKept() {
        assertThat(isInvocable("pay")).isTrue();
        assertThat(isInvocable("later")).isTrue();
        assertThat(isInvocable("untouched")).isFalse();
    }

    @Test
    void whatAKeyLooksIntoIsKept() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(Order.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(HINTS);
        assertThat(RuntimeHintsPredicates.reflection().onType(Other.class)).rejects(HINTS);
    }

    private static boolean isInvocable(String name) {
        Method method = ReflectionUtils.findMethod(Service.class, name, (Class<?>[]) null);
        return RuntimeHintsPredicates.reflection().onMethod(method).invoke().test(HINTS);
    }

    record Order(String id) {}

    record Other(String id) {}

    static class Service {
        @Locked(name = "order", key = "#order.id", busy = Busy.FALLBACK, fallback = "later")
        public void pay(Order order) {}

        public void later(Order order) {}

        public void untouched(Other other) {}
    }
}
