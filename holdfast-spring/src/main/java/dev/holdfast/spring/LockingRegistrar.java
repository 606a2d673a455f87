package dev.holdfast.spring;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/** Registers the beans behind {@link EnableLocking}. The advisor has the role of infrastructure: proxies need no AspectJ then. */
final class LockingRegistrar implements ImportBeanDefinitionRegistrar {
    static final String PREFIX = "dev.holdfast.spring.";
    static final String METHODS = PREFIX + "lockedMethods";
    static final String RUNNER = PREFIX + "lockRunner";
    static final String ADVISOR = PREFIX + "lockedAdvisor";
    static final String TEMPLATE = "lockTemplate";

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        var enabled = importing.getAnnotations().get(EnableLocking.class);
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (registry.containsBeanDefinition(METHODS)) {
            return;
        }
        if (enabled.getBoolean("proxyTargetClass")) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
        register(registry, METHODS, LockedMethods.class);
        register(registry, PREFIX + "fencedTransactions", FencedTransactions.class)
                .getConstructorArgumentValues()
                .addGenericArgumentValue(enabled.getString("fenceGeneration"), String.class.getName());
        register(registry, RUNNER, LockRunner.class);
        register(registry, ADVISOR, LockedAdvisor.class).getPropertyValues().add("order", enabled.getInt("order"));
        register(registry, PREFIX + "lockedChecker", LockedChecker.class);
        register(registry, PREFIX + "commitCheck", CommitCheck.class);
        if (!registry.containsBeanDefinition(TEMPLATE)) {
            register(registry, TEMPLATE, LockTemplate.class).setRole(BeanDefinition.ROLE_APPLICATION);
        }
    }

    private static RootBeanDefinition register(BeanDefinitionRegistry registry, String name, Class<?> type) {
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
        registry.registerBeanDefinition(name, definition);
        return definition;
    }
}
