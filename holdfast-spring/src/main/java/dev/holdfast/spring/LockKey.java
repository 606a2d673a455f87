package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The expression of a key, parsed and checked by {@link LockKeyParser}. */
final class LockKey {
    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new AssertionError("Every class has it", e);
            }
        }
    };

    private final SpelExpression expression;
    private final Map<String, Integer> variables;
    private final BeanFactoryResolver beans;

    /** @param variables the parameters that it uses, with their positions */
    LockKey(SpelExpression expression, Map<String, Integer> variables, BeanFactory beans) {
        this.expression = expression;
        this.variables = variables;
        this.beans = new BeanFactoryResolver(beans);
    }

    /** @throws IllegalArgumentException if the key is null or empty, or would be another one in each process */
    String of(Object target, Method method, @Nullable Object[] arguments) {
        StandardEvaluationContext context = new StandardEvaluationContext(new KeyRoot(method, target, arguments));
        context.setBeanResolver(beans);
        variables.forEach((name, position) -> context.setVariable(name, arguments[position]));
        return text(expression.getValue(context), target, method);
    }

    private String text(@Nullable Object value, Object target, Method method) {
        if (value == null) {
            throw refused("is null", target, method);
        }
        if (!HAS_TEXT.get(value.getClass())) {
            throw refused(
                    "is a " + value.getClass().getTypeName()
                            + ", which has no text of its own: every process would lock something else. Name an id of it",
                    target,
                    method);
        }
        String text = value.toString();
        if (text.isBlank()) {
            throw refused("is empty", target, method);
        }
        return text;
    }

    private IllegalArgumentException refused(String why, Object target, Method method) {
        return new IllegalArgumentException(Problems.describe(target.getClass(), method) + ": the key '"
                + expression.getExpressionString() + "' " + why + ". Nothing was locked, and the method did not run.");
    }
}
