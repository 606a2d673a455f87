package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

/** Which lock a call takes. Each method answers with the names of the locks under which it ran. */
class LockedNamesTest {
    private static final Application APPLICATION = Application.with(
            Map.of("region", "north"),
            Names.class,
            OnClass.class,
            Ports.class,
            Overriding.class,
            Derived.class,
            Generics.class,
            Prefix.class);

    private final Names names = APPLICATION.bean(Names.class);

    @AfterAll
    static void close() {
        APPLICATION.close();
    }

    @Test
    void aNameIsTakenLiterally() {
        assertThat(names.literal()).containsExactly("order#123 + 'x'");
        assertThat(names.expressionLike()).containsExactly("#{1 + 1}");
    }

    @Test
    void aNameMayHaveProperties() {
        assertThat(names.property()).containsExactly("report-north");
    }

    @Test
    void aKeyIsAnExpressionOnParameters() {
        assertThat(names.parameter(7)).containsExactly("order:7");
        assertThat(names.path(new Order("a-1", List.of("x", "y")))).containsExactly("order:a-1/y");
        assertThat(names.byPosition("one", "two")).containsExactly("order:two-one");
    }

    @Test
    void aKeyMayUseBeansAndTheMethod() {
        assertThat(names.bean("7")).containsExactly("order:eu-7");
        assertThat(names.method()).containsExactly("job:method/Names/0");
    }

    @Test
    void anAnnotationOnTheClassCoversItsMethodsAndIsReplacedByOneOnAMethod() {
        OnClass onClass = APPLICATION.bean(OnClass.class);
        assertThat(onClass.covered()).containsExactly("all");
        assertThat(onClass.own()).containsExactly("own");
        assertThat(onClass.toString()).isEqualTo("[]");
    }

    @Test
    void aMetaAnnotationPassesItsAttributesOn() {
        assertThat(names.meta("b")).containsExactly("order:b");
    }

    @Test
    void anInterfacesMethodCountsWithTheNamesOfItsParameters() {
        assertThat(APPLICATION.bean(Port.class).call("7")).containsExactly("port:7");
    }

    @Test
    void anOverridingMethodsOwnAnnotationReplacesTheInherited() {
        assertThat(APPLICATION.bean(Overridden.class).call("7")).containsExactly("overriding");
    }

    @Test
    void anOverridingMethodWithoutAnAnnotationIsLockedAsTheOverridden() {
        assertThat(APPLICATION.bean(Derived.class).call("7")).containsExactly("base:7");
    }

    @Test
    @SuppressWarnings("unchecked") // There is one, and it is for texts.
    void aMethodOfAGenericInterfaceIsLockedWhicheverWayItIsCalled() {
        // The compiler adds a bridge, call(Object), which is what a caller through the interface reaches.
        Generic<String> generic = APPLICATION.bean(Generic.class);
        assertThat(generic.call("7")).containsExactly("generic:7");
        assertThat(APPLICATION.isHeld("generic:7")).isFalse();
    }

    @Test
    void severalAreTakenInTheOrderOfTheirNames() {
        assertThat(names.transfer("b", "a")).containsExactly("account:a", "account:b");
        assertThat(names.transfer("a", "b")).containsExactly("account:a", "account:b");
        assertThat(APPLICATION.isHeld("account:a")).isFalse();
    }

    @Test
    void aNameThatComesTwiceIsTakenOnce() {
        assertThat(names.transfer("a", "a")).containsExactly("account:a");
    }

    @Test
    void aKeyWithoutATextOfItsOwnIsRefused() {
        // All of these used to be one lock for everybody, or another one in each process, in hand-written aspects.
        assertThatThrownBy(() -> names.any(null)).hasMessageContaining("the key '#what' is null");
        assertThatThrownBy(() -> names.any("")).hasMessageContaining("is empty");
        assertThatThrownBy(() -> names.any(new Object())).hasMessageContaining("no text of its own");
        assertThatThrownBy(() -> names.any(new String[] {"a"})).hasMessageContaining("no text of its own");
        assertThat(names.any(List.of(1, 2))).containsExactly("any:[1, 2]");
    }

    static List<String> held() {
        return LockedContext.current()
                .map(context -> context.leases().stream().map(Lease::name).toList())
                .orElse(List.of());
    }

    record Order(String id, List<String> lines) {}

    static class Prefix {
        public String of(String id) {
            return "eu-" + id;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Locked(name = "order")
    @interface OrderLocked {
        @AliasFor(annotation = Locked.class, attribute = "key")
        String by();
    }

    static class Names {
        @Locked("order#123 + 'x'")
        List<String> literal() {
            return held();
        }

        @Locked("#{1 + 1}")
        List<String> expressionLike() {
            return held();
        }

        @Locked("report-${region}")
        List<String> property() {
            return held();
        }

        @Locked(name = "order", key = "#id")
        List<String> parameter(long id) {
            return held();
        }

        @Locked(name = "order", key = "#order.id + '/' + #order.lines.?[#this != 'x'][0]")
        List<String> path(Order order) {
            return held();
        }

        @Locked(name = "order", key = "#p1 + '-' + #a0")
        List<String> byPosition(String one, String two) {
            return held();
        }

        @Locked(name = "order", key = "@'lockedNamesTest.Prefix'.of(#id)")
        List<String> bean(String id) {
            return held();
        }

        @Locked(name = "job", key = "method.name + '/' + targetClass.simpleName + '/' + #root.args.length")
        List<String> method() {
            return held();
        }

        @OrderLocked(by = "#id")
        List<String> meta(String id) {
            return held();
        }

        @Locked(name = "account", key = "#from")
        @Locked(name = "account", key = "#to")
        List<String> transfer(String from, String to) {
            return held();
        }

        @Locked(name = "any", key = "#what")
        List<String> any(Object what) {
            return held();
        }
    }

    @Locked("all")
    static class OnClass {
        List<String> covered() {
            return held();
        }

        @Locked("own")
        List<String> own() {
            return held();
        }

        @Override
        public String toString() {
            return held().toString();
        }
    }

    interface Port {
        @Locked(name = "port", key = "#portId")
        List<String> call(String portId);
    }

    static class Ports implements Port {
        @Override
        public List<String> call(String id) {
            return held();
        }
    }

    interface Overridden {
        @Locked(name = "overridden")
        List<String> call(String id);
    }

    static class Overriding implements Overridden {
        @Override
        @Locked("overriding")
        public List<String> call(String id) {
            return held();
        }
    }

    static class Base {
        @Locked(name = "base", key = "#id")
        List<String> call(String id) {
            return List.of("not locked");
        }
    }

    static class Derived extends Base {
        @Override
        List<String> call(String other) {
            return held();
        }
    }

    interface Generic<T> {
        List<String> call(T what);
    }

    static class Generics implements Generic<String> {
        @Override
        @Locked(name = "generic", key = "#what")
        public List<String> call(String what) {
            return held();
        }
    }
}
