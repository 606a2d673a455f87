package dev.holdfast.spring.boot.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Leaves out what a {@link HoldfastTest} does not need: the components of the application, and auto-configuration that was not
 * imported. Boot's own annotations for this have moved between 3.5 and 4, what they do has not.
 */
final class SliceContextCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        return TestContextAnnotationUtils.hasAnnotation(testClass, HoldfastTest.class) ? new Slice() : null;
    }

    /** A record, because contexts of equal customizers are shared. */
    private record Slice() implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            TestPropertyValues.of(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY + "=false")
                    .applyTo(context);
            context.getBeanFactory().registerSingleton("holdfastTestScan", new NoComponents());
        }
    }

    private static final class NoComponents extends TypeExcludeFilter {
        @Override
        public boolean match(MetadataReader reader, MetadataReaderFactory factory) {
            return true;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof NoComponents;
        }

        @Override
        public int hashCode() {
            return NoComponents.class.hashCode();
        }
    }
}
