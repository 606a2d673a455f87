package dev.holdfast.cli.events;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Turns signals into events. A signal that was ignored when we started (nohup) stays ignored.
 *
 * <p>By reflection: the compiler warns of the class that handles signals, and that warning cannot be answered. The JDK
 * keeps the class, in {@code jdk.unsupported}, because nothing replaces it.
 */
public final class Signals {
    // USR2 belongs to the JVM, QUIT prints its threads.
    private static final List<String> PASSED_ON = List.of("INT", "TERM", "HUP", "USR1");

    private Signals() {}

    public static void deliverTo(Consumer<Event> events) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            for (String name : PASSED_ON) {
                Object signal = signalType.getConstructor(String.class).newInstance(name);
                int number = (int) signalType.getMethod("getNumber").invoke(signal);
                InvocationHandler handler = (proxy, method, arguments) -> {
                    events.accept(new Event.Signalled(name, number));
                    return null;
                };
                Object proxy =
                        Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handlerType}, handler);
                signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, proxy);
            }
        } catch (ReflectiveOperationException e) {
            // Without handlers a signal ends us and not the child; better not to begin.
            throw new CliException(ExitCode.INTERNAL_ERROR, "This JVM does not let signals be handled: " + e);
        }
    }
}
