package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.memory.InMemoryBackend;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** The attributes of {@link EnableLocking}. */
class EnableLockingTest {
    @Test
    void theAdviceIsInfrastructureAndOutsideTransactionsUnlessSaidOtherwise() {
        try (var context = new AnnotationConfigApplicationContext(Plain.class, Ports.class)) {
            assertThat(context.getBean(LockedAdvisor.class).getOrder()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 1000);
            assertThat(context.getBeanDefinition(LockingRegistrar.ADVISOR).getRole())
                    .isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE);
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Port.class))).isTrue();
            assertThat(context.getBean(Port.class).held()).containsExactly("port");
        }
        try (var context = new AnnotationConfigApplicationContext(Chosen.class, Ports.class)) {
            assertThat(context.getBean(LockedAdvisor.class).getOrder()).isEqualTo(7);
        }
    }

    @Test
    void proxiesMayBeSubclasses() {
        try (var context = new AnnotationConfigApplicationContext(Chosen.class, Ports.class)) {
            assertThat(AopUtils.isCglibProxy(context.getBean(Port.class))).isTrue();
            assertThat(context.getBean(Ports.class).held()).containsExactly("port");
        }
    }

    @Test
    void enablingItTwiceIsHarmless() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.setAllowBeanDefinitionOverriding(false);
            context.register(Plain.class, Again.class, Ports.class);
            context.refresh();
            assertThat(context.getBean(Port.class).held()).containsExactly("port");
        }
    }

    @Test
    void aGenerationThatIsNoNumberIsToldAtTheStart() {
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(
                                Database.class, Misspelt.class, LockedMisuseTest.Fenced.class)
                        .close())
                .hasMessageContaining("fenceGeneration = \"one\" of @EnableLocking is no number");
    }

    @Test
    void aDatabaseIsCheckedOnceBeforeFencedMethodsUseIt() {
        try (var context = new AnnotationConfigApplicationContext(
                Database.class, Plain.class, CountingCheck.class, LockedMisuseTest.Fenced.class)) {
            assertThat(context.getBean(CountingCheck.class).checked).containsExactly(context.getBean(DataSource.class));
            assertThat(context.getBean(LockTemplate.class).fenced()).isNotNull();
            assertThat(context.getBean(CountingCheck.class).checked).hasSize(1);
        }
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(
                                Database.class, Plain.class, RefusingCheck.class, LockedMisuseTest.Fenced.class)
                        .close())
                .hasStackTraceContaining("the guard is missing");
    }

    static class CountingCheck implements FencedDataSourceCheck {
        final List<DataSource> checked = new ArrayList<>();

        @Override
        public void check(DataSource dataSource) {
            checked.add(dataSource);
        }
    }

    static class RefusingCheck implements FencedDataSourceCheck {
        @Override
        public void check(DataSource dataSource) {
            throw new IllegalStateException("the guard is missing");
        }
    }

    static class Store {
        @Bean
        Holdfast holdfast() {
            return Holdfast.over(new InMemoryBackend());
        }
    }

    @EnableLocking
    static class Plain extends Store {}

    @EnableLocking
    static class Again {}

    @EnableLocking(order = 7, proxyTargetClass = true)
    static class Chosen extends Store {}

    @EnableLocking(fenceGeneration = "one")
    static class Misspelt extends Store {}

    interface Port {
        List<String> held();
    }

    static class Ports implements Port {
        @Override
        @Locked("port")
        public List<String> held() {
            return LockedNamesTest.held();
        }
    }
}
