package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockTimeoutException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call does with its lock: held while it runs, given back however it ends, and what happens if it is busy. */
@SuppressWarnings("try") // The rival only has to hold its lease.
class LockedCallsTest {
    private static final Application APPLICATION = Application.with(Map.of("wait", "10ms"), Calls.class, Outer.class);

    private final Calls calls = APPLICATION.bean(Calls.class);

    @AfterEach
    void everythingIsGivenBack() {
        for (String name : new String[] {"plain", "a", "b", "busy", "short"}) {
            assertThat(APPLICATION.isHeld(name)).as(name).isFalse();
        }
    }

    @AfterAll
    static void close() {
        APPLICATION.close();
    }

    @Test
    void theLockIsHeldWhileTheMethodRunsAndFreeAfterIt() {
        assertThat(calls.isHeldInside()).isTrue();
        assertThat(APPLICATION.isHeld("plain")).isFalse();
    }

    @Test
    void theLocksAreFreeAfterAnException() {
        assertThatThrownBy(calls::fails).isInstanceOf(IOException.class).hasMessage("no");
    }

    @Test
    void ofSeveralTheFirstIsGivenBackIfTheSecondIsBusy() throws Exception {
        try (Lease rival = APPLICATION.taken("b")) {
            assertThatThrownBy(calls::fails).isInstanceOf(LockTimeoutException.class);
            assertThat(APPLICATION.isHeld("a")).isFalse();
        }
    }

    @Test
    void aBusyLockThrowsWithoutRunningTheMethod() throws Exception {
        try (Lease rival = APPLICATION.taken("busy")) {
            int before = Calls.RUNS.get();
            assertThatThrownBy(calls::throwing).isInstanceOf(LockTimeoutException.class);
            assertThat(Calls.RUNS).hasValue(before);
        }
    }

    @Test
    void aBusyLockIsSkipped() throws Exception {
        assertThat(calls.skipped()).isEqualTo("ran");
        try (Lease rival = APPLICATION.taken("busy")) {
            assertThat(calls.skipped()).isNull();
            assertThat(calls.skippedOptional()).isEmpty();
        }
    }

    @Test
    void aBusyLockCallsTheFallback() throws Exception {
        assertThat(calls.withFallback("x", 1)).isEqualTo("ran");
        try (Lease rival = APPLICATION.taken("busy")) {
            assertThat(calls.withFallback("x", 1)).isEqualTo("instead x1");
            assertThat(calls.withFallbackThatKnows("x")).isEqualTo("x: busy");
            assertThatThrownBy(calls::withFallbackThatFails)
                    .isInstanceOf(IOException.class)
                    .hasMessage("fallback");
        }
    }

    @Test
    void aTimeoutOfTheBodyIsNotTakenForABusyLock() throws Exception {
        // A method under a free lock calls another one whose lock is busy. That is an exception of the body, no reason
        // to skip.
        try (Lease rival = APPLICATION.taken("busy")) {
            assertThatThrownBy(() -> APPLICATION.bean(Outer.class).skipsOnlyItself())
                    .isInstanceOf(LockTimeoutException.class);
        }
    }

    @Test
    void aMethodBelowJoinsTheLockOfTheMethodAbove() {
        // It would wait for itself otherwise, until its time is over.
        assertThat(APPLICATION.bean(Outer.class).callsTheSameLock()).isTrue();
    }

    @Test
    void leaseAndTokenAreFilledIn() {
        assertThat(calls.given(null, "x", null)).isEqualTo("plain x true");
        assertThat(LockedContext.current()).isEmpty();
    }

    @Test
    void aLeaseThatIsLostInTheBodyIsToldAfterIt() {
        assertThatThrownBy(calls::outlivesItsLease).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aBodyMayCloseItsLease() {
        assertThat(calls.closes(null)).isEqualTo("closed");
    }

    @Test
    void aLockWhoseLeaseTheBodyClosedIsNotJoined() {
        // It would be refused as closed otherwise.
        assertThat(APPLICATION.bean(Outer.class).closesAndCallsAgain(null)).isTrue();
    }

    @Test
    void theLockStaysTakenForAtLeastThatLong() throws Exception {
        calls.keeps();
        assertThat(APPLICATION.isHeld("kept")).isTrue();
    }

    @Test
    void anInterruptWhileWaitingIsKeptOrThrown() throws Exception {
        try (Lease rival = APPLICATION.taken("plain")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(calls::isHeldInside).isInstanceOf(CancellationException.class);
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertThatThrownBy(calls::declaresInterrupts).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void theTemplateDoesTheSame() throws Exception {
        LockTemplate template = APPLICATION.bean(LockTemplate.class);
        String name = template.call("plain", lease -> {
            assertThat(APPLICATION.isHeld("plain")).isTrue();
            assertThat(calls.isHeldInside()).as("joined").isTrue();
            return lease.name();
        });
        assertThat(name).isEqualTo("plain");
        assertThatThrownBy(() -> template.run("plain", lease -> {
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        try (Lease rival = APPLICATION.taken("plain")) {
            LockTemplate impatient = template.maxWait(Duration.ZERO);
            assertThatThrownBy(() -> impatient.run("plain", lease -> {})).isInstanceOf(LockTimeoutException.class);
        }
        assertThatThrownBy(() -> template.lease(Duration.ofMillis(100))
                        .atMost(Duration.ofMillis(20))
                        .run("plain", LockedCallsTest::awaitEnd))
                .isInstanceOf(LeaseLostException.class);
        template.atLeast(Duration.ofHours(1)).run("kept-by-template", lease -> {});
        assertThat(APPLICATION.isHeld("kept-by-template")).isTrue();
    }

    private static void awaitEnd(Lease lease) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !lease.isValid());
    }

    static class Calls {
        static final AtomicInteger RUNS = new AtomicInteger();

        @Locked("plain")
        public boolean isHeldInside() {
            return APPLICATION.isHeld("plain");
        }

        @Locked("plain")
        public void declaresInterrupts() throws InterruptedException {}

        @Locked(name = "b", maxWait = "${wait}")
        @Locked("a")
        public void fails() throws IOException {
            assertThat(APPLICATION.isHeld("a") && APPLICATION.isHeld("b")).isTrue();
            throw new IOException("no");
        }

        @Locked(name = "busy", maxWait = "PT0.01S")
        public void throwing() {
            RUNS.incrementAndGet();
        }

        @Locked(name = "busy", busy = Busy.SKIP)
        public String skipped() {
            return "ran";
        }

        @Locked(name = "busy", busy = Busy.SKIP, maxWait = "1ms")
        public Optional<String> skippedOptional() {
            return Optional.of("ran");
        }

        @Locked(name = "busy", busy = Busy.FALLBACK, fallback = "instead")
        public String withFallback(String text, int number) {
            return "ran";
        }

        String instead(String text, int number) {
            return "instead " + text + number;
        }

        @Locked(name = "busy", busy = Busy.FALLBACK, fallback = "knowing")
        public String withFallbackThatKnows(String text) {
            return "ran";
        }

        String knowing(String text, LockTimeoutException why) {
            return text + ": " + why.lockName();
        }

        @Locked(name = "busy", busy = Busy.FALLBACK, fallback = "failing")
        public void withFallbackThatFails() throws IOException {}

        void failing() throws IOException {
            throw new IOException("fallback");
        }

        @Locked("plain")
        public String given(Lease lease, String text, FencingToken token) {
            assertThat(LockedContext.current().orElseThrow().token()).isEqualTo(token);
            return lease.name() + " " + text + " " + lease.token().equals(token);
        }

        @Locked(name = "short", atMost = "20ms", lease = "100ms")
        public void outlivesItsLease() {
            awaitEnd(LockedContext.current().orElseThrow().lease("short"));
        }

        @Locked("plain")
        public String closes(Lease lease) {
            lease.close();
            return "closed";
        }

        @Locked(name = "kept", atLeast = "1h")
        public void keeps() {}
    }

    static class Outer {
        private final Calls calls;

        Outer(Calls calls) {
            this.calls = calls;
        }

        @Locked(name = "plain", busy = Busy.SKIP)
        public void skipsOnlyItself() {
            calls.throwing();
        }

        @Locked("plain")
        public boolean closesAndCallsAgain(Lease lease) {
            lease.close();
            return calls.isHeldInside();
        }

        @Locked(name = "plain", maxWait = "10ms")
        public boolean callsTheSameLock() {
            boolean below = calls.isHeldInside();
            return below && APPLICATION.isHeld("plain");
        }
    }
}
