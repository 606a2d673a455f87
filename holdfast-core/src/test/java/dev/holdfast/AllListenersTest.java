package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllListenersTest {
    private final List<String> heard = new ArrayList<>();

    private LockListener hearing(String who) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            heard.add(who + " " + method.getName() + " " + Arrays.toString(arguments));
            return null;
        };
        return (LockListener) Proxy.newProxyInstance(
                LockListener.class.getClassLoader(), new Class<?>[] {LockListener.class}, handler);
    }

    @Test
    void everyEventReachesEachOfThemInOrder() throws Exception {
        // Each method of the interface: one that is forgotten would be heard by nobody, and nobody would notice.
        LockListener all = LockListener.all(hearing("one"), hearing("two"));
        for (Method event : LockListener.class.getMethods()) {
            if (Modifier.isStatic(event.getModifiers())) {
                continue;
            }
            heard.clear();
            event.invoke(
                    all,
                    Arrays.stream(event.getParameterTypes())
                            .map(AllListenersTest::anything)
                            .toArray());
            assertThat(heard).as(event.getName()).hasSize(2);
            assertThat(heard.get(0)).startsWith("one " + event.getName() + " [");
            assertThat(heard.get(1)).isEqualTo(heard.get(0).replaceFirst("one", "two"));
        }
    }

    private static Object anything(Class<?> type) {
        if (type == LockKey.class) {
            return LockKey.lock("a");
        }
        if (type == String.class) {
            return "a";
        }
        if (type == Duration.class) {
            return Duration.ofSeconds(1);
        }
        if (type == FencingToken.class) {
            return new FencingToken(7);
        }
        if (Throwable.class.isAssignableFrom(type)) {
            return new IllegalStateException("so");
        }
        if (type == Loss.class) {
            return new Loss(LockKey.lock("a"), new FencingToken(7), Loss.Kind.LOST, Duration.ofSeconds(1), "so");
        }
        if (type == BackendNotice.class) {
            return BackendNotice.note("here", "so");
        }
        if (type == Holder.class) {
            return new Holder("here", 1, "");
        }
        return null;
    }

    @Test
    void oneThatThrowsDoesNotKeepTheOthersFromHearing() {
        LockListener throwing = new LockListener() {
            @Override
            public void refused(LockKey lock) {
                throw new IllegalArgumentException("bad listener");
            }
        };
        LockListener all = LockListener.all(throwing, hearing("two"));
        assertThatThrownBy(() -> all.refused(LockKey.lock("a"))).hasMessageContaining("bad listener");
        assertThat(heard).containsExactly("two refused [lock 'a']");
    }
}
