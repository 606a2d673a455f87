package dev.holdfast.tck;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands every test a bench of its own. JUnit closes it with the test, because it is kept in the test's store. */
final class BenchParameter implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(BenchParameter.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Bench.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        LockBackendContract contract = (LockBackendContract) context.getRequiredTestInstance();
        return context.getStore(NAMESPACE).computeIfAbsent(Bench.class, type -> new Bench(contract), Bench.class);
    }
}
