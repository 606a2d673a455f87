package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** What cannot work is told when the application starts, by method. */
class LockedMisuseTest {
    private static void assertRefused(Class<?> type, String... messages) {
        assertThatThrownBy(() -> Application.of(Database.class, type).close())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(messages)
                .hasMessageContaining(type.getName());
    }

    @Test
    void methodsThatAProxyCannotReach() {
        assertRefused(
                Unreachable.class,
                "Unreachable.closed(): a final method",
                "Unreachable.hidden(): a private or static method",
                "Unreachable.shared(): a private or static method");
    }

    @Test
    void aFinalMethodUnderAnAnnotationOnItsClass() {
        assertRefused(FinalInClass.class, "FinalInClass.closed(): a final method");
    }

    @Test
    void keysThatNameNothing() {
        assertRefused(
                Keys.class,
                "Keys.unknown(String): the key names #order, and the method has no such parameter",
                "Keys.tooFar(String): the key names #p1",
                "Keys.noHash(String): the key names 'id', which is neither a parameter (write #id)",
                "Keys.noBean(String): the key uses the bean 'nobody'",
                "Keys.function(String): the key calls #hash(",
                "Keys.broken(String): the key '#id +' is no expression",
                "Keys.nested(Keys): the key names #what");
    }

    @Test
    void keysThatNameParametersOfAClassCompiledWithoutTheirNames(@TempDir Path directory) throws Exception {
        // SpEL takes such a name for null: every order would have the lock "order:null".
        Class<?> nameless = compileWithoutParameters(directory);
        assertRefused(
                nameless, "pay(String): the key names #id", "compile with -parameters, or name it by position (#p0");
        assertThatThrownBy(() -> Application.of(nameless).close())
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("byPosition"));
    }

    private static Class<?> compileWithoutParameters(Path directory) throws Exception {
        Path source = directory.resolve("Nameless.java");
        Files.writeString(source, """
                package nameless;

                public class Nameless {
                    @dev.holdfast.spring.Locked(name = "order", key = "'order-' + #id")
                    public void pay(String id) {}

                    @dev.holdfast.spring.Locked(name = "order", key = "#p0")
                    public void byPosition(String id) {}
                }
                """);
        List<String> arguments = List.of(
                "-proc:none",
                "-cp",
                new File(Locked.class
                                        .getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toURI())
                                .getPath()
                        + File.pathSeparator
                        + System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
        // Left open: the class is used until the end of the test.
        ClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, Locked.class.getClassLoader());
        return loader.loadClass("nameless.Nameless");
    }

    @Test
    void answersToABusyLockThatCannotBeGiven() {
        assertRefused(
                Answers.class,
                "Answers.primitive(): busy = SKIP has nothing to return as int",
                "Answers.missing(String): there is no fallback 'nothing'",
                "Answers.unnamed(): there is no fallback ''",
                "Answers.otherParameters(String): there is no fallback 'withNumber'",
                "Answers.otherResult(): its fallback 'number' returns Integer, which is not a String",
                "Answers.throwing(): its fallback 'checked' throws IOException",
                "Answers.neverCalled(): the fallback 'number' is never called");
    }

    @Test
    void termsThatAreNotUnderstood() {
        assertRefused(
                Terms.class,
                "Terms.noUnit(): maxWait = '5' is no duration",
                "Terms.negative(): lease = 'PT-5S' is negative",
                "Terms.unknownProperty(): atMost = \"${no.such.property}\" names a property that is not set",
                "Terms.noName(): the lock has no name",
                "Terms.tooLong(): A lease of",
                "Terms.twisted(): heldAtLeast",
                "Terms.disagreeing(): its locks say different things",
                "Terms.ambiguous(Lease): which of its 2 locks");
    }

    @Test
    void resultsWhoseEndCannotBeKnown() {
        assertRefused(Results.class, "Results.future(): nobody can tell when the result, a Future, is complete");
    }

    @Test
    void fencesWithoutAUsableTransaction() {
        assertRefused(
                Fences.class,
                "Fences.separate(): fenced = true begins the transaction",
                "Fences.none(): fenced = true begins the transaction",
                "Fences.readOnly(): fenced = true writes its token",
                "Fences.later(): fenced = true guards a transaction that ends when the method returns",
                "Fences.half(): some of its locks are fenced",
                "Fences.qualified(): fenced = true needs a transaction manager, and none was found");
        assertThatThrownBy(() -> Application.of(Fenced.class).close())
                .hasMessageContaining("Fenced.run(): fenced = true needs a transaction manager, and none was found");
        assertThatThrownBy(
                        () -> Application.of(Fenced.class, OtherManager.class).close())
                .hasMessageContaining("Fenced.run(): fenced = true cannot work with " + OtherManager.class.getName());
    }

    @Test
    void aBeanThatWasMadeTooEarlyForAProxy() {
        assertThatThrownBy(() -> Application.of(Fine.class, Early.class).close())
                .hasMessageContaining("Fine.run(): the bean 'lockedMisuseTest.Fine' was made before locking");
    }

    @Test
    void noHoldfast() {
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(Enabled.class, Fine.class).close())
                .hasMessageContaining("there is no bean of type dev.holdfast.Holdfast");
    }

    @Test
    void whatIsRightStarts() {
        Application.of(Fine.class).close();
        new AnnotationConfigApplicationContext(Enabled.class).close();
    }

    @EnableLocking
    static class Enabled {}

    static class Fine {
        @Locked("fine")
        public void run() {}
    }

    static class Early implements BeanPostProcessor, PriorityOrdered, BeanFactoryAware {
        @Override
        public void setBeanFactory(BeanFactory beans) {
            beans.getBean(Fine.class);
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    static class Unreachable {
        @Locked("a")
        public final void closed() {}

        @Locked("a")
        @SuppressWarnings("UnusedMethod")
        private void hidden() {}

        @Locked("a")
        public static void shared() {}

        @Locked("a")
        public void fine() {}
    }

    @Locked("a")
    static class FinalInClass {
        public final void closed() {}
    }

    static class Keys {
        @Locked(name = "a", key = "#order.id")
        public void unknown(String id) {}

        @Locked(name = "a", key = "#p0 + #p1")
        public void tooFar(String id) {}

        @Locked(name = "a", key = "id")
        public void noHash(String id) {}

        @Locked(name = "a", key = "@nobody.of(#id)")
        public void noBean(String id) {}

        @Locked(name = "a", key = "#hash(#id)")
        public void function(String id) {}

        @Locked(name = "a", key = "#id +")
        public void broken(String id) {}

        @Locked(name = "a", key = "#keys.toString().concat(#what)")
        public void nested(Keys keys) {}
    }

    static class Answers {
        @Locked(name = "a", busy = Busy.SKIP)
        public int primitive() {
            return 1;
        }

        @Locked(name = "a", busy = Busy.FALLBACK, fallback = "nothing")
        public void missing(String id) {}

        @Locked(name = "a", busy = Busy.FALLBACK)
        public void unnamed() {}

        @Locked(name = "a", busy = Busy.FALLBACK, fallback = "withNumber")
        public void otherParameters(String id) {}

        void withNumber(int id) {}

        @Locked(name = "a", busy = Busy.FALLBACK, fallback = "number")
        public String otherResult() {
            return "";
        }

        Integer number() {
            return 1;
        }

        @Locked(name = "a", busy = Busy.FALLBACK, fallback = "checked")
        public void throwing() {}

        void checked() throws IOException {}

        @Locked(name = "a", fallback = "number")
        public Integer neverCalled() {
            return 1;
        }
    }

    static class Terms {
        @Locked(name = "a", maxWait = "5")
        public void noUnit() {}

        @Locked(name = "a", lease = "PT-5S")
        public void negative() {}

        @Locked(name = "a", atMost = "${no.such.property}")
        public void unknownProperty() {}

        @Locked
        public void noName() {}

        @Locked(name = "a", lease = "2h")
        public void tooLong() {}

        @Locked(name = "a", atLeast = "2s", atMost = "1s")
        public void twisted() {}

        @Locked(name = "a", transaction = CallersTransaction.IGNORE)
        @Locked("b")
        public void disagreeing() {}

        @Locked("a")
        @Locked("b")
        public void ambiguous(Lease lease) {}
    }

    static class Results {
        @Locked("a")
        public Future<String> future() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class Fences {
        @Locked(name = "a", fenced = true)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void separate() {}

        @Locked(name = "a", fenced = true)
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void none() {}

        @Locked(name = "a", fenced = true)
        @Transactional(readOnly = true)
        public void readOnly() {}

        @Locked(name = "a", fenced = true)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("");
        }

        @Locked(name = "a", fenced = true)
        @Locked("b")
        public void half() {}

        @Locked(name = "a", fenced = true)
        @Transactional("no-such-manager")
        public void qualified() {}
    }

    static class Fenced {
        @Locked(name = "a", fenced = true)
        public void run() {}
    }

    @SuppressWarnings("serial")
    static class OtherManager extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
