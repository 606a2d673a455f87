package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.Set;

/** What the expression of a key sees besides parameters and beans. Public getters, because the expression calls them. */
final class KeyRoot {
    static final Set<String> PROPERTIES = Set.of("method", "target", "targetClass", "args");

    private final Method method;
    private final Object target;
    private final Object[] args;

    KeyRoot(Method method, Object target, Object[] args) {
        this.method = method;
        this.target = target;
        this.args = args;
    }

    /** The method that was called, as its class declares it. */
    public Method getMethod() {
        return method;
    }

    /** The object behind the proxy. */
    public Object getTarget() {
        return target;
    }

    /** The class of that object. */
    public Class<?> getTargetClass() {
        return target.getClass();
    }

    /** The arguments of the call. */
    public Object[] getArgs() {
        return args.clone();
    }
}
