package dev.holdfast;

import dev.holdfast.SearchScenario.Part;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One run: a real engine, a store whose network the search owns, and what must hold after every event. */
final class SearchWorld {
    static final Holder HOLDER = new Holder("here", 1, "");
    private static final long SECOND = 1_000_000_000L;
    private static final Settings SETTINGS =
            new Settings(2, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ZERO);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Terms USUAL = new Terms(LEASE, HOLDER);
    private static final Terms FIXED = new Terms(Duration.ofSeconds(10), HOLDER).fixed();
    private static final Terms BOUNDED = new Terms(LEASE, HOLDER).heldAtMost(Duration.ofSeconds(12));
    // Its clock stands still, so that of each kind of message one line is logged in all.
    private static final RateLimitedLog LOG = new RateLimitedLog(new SearchClock());

    private record Event(String what, Object subject, Runnable action) {}

    private final SearchScenario scenario;
    private final SearchChoices choices;
    private final @Nullable StringBuilder trace;
    private final SearchClock clock = new SearchClock();
    private final SearchStore store;
    private final Engine engine;
    private final List<SearchWaiter> waiters = new ArrayList<>();
    private final List<TenureLease> leases = new ArrayList<>();
    private final List<TenureLease> held = new ArrayList<>();
    /** Whose last renewal brought no answer. */
    private final Set<Owner> uncertain = new HashSet<>();

    /** By token: how often the holder was told that its lease was lost. */
    private final Map<Long, Integer> toldLost = new HashMap<>();

    private @Nullable Owner rival;
    private int rivals;
    private int nested;
    private int nestsLeft;
    private boolean draining;
    /** How often this process heard of its claim: a grant that was handed out, or an answer to a question. */
    private int answers;

    private boolean anyAnswer;
    /** Some request has failed, was given up, or may have been, in this run. */
    private boolean failed;
    /** Something happened after which a waiter may have to wait for a timer. */
    private boolean disturbed;

    private @Nullable String failure;

    /** @param trace where to write what happens, or null */
    SearchWorld(SearchScenario scenario, SearchChoices choices, @Nullable StringBuilder trace) {
        this.scenario = scenario;
        this.choices = choices;
        this.trace = trace;
        nestsLeft = scenario.nests();
        store = new SearchStore(scenario.kind(), scenario.waking(), clock, this::perhapsAnotherThread);
        UserCode userCode = new UserCode(Runnable::run, new SpareThread(clock, new Daemons("spare")), LOG);
        engine = new Engine(store, clock, SETTINGS, new Reports(null, userCode, LOG, clock), userCode);
        store.open(clock, engine);
    }

    /** What went wrong, or null. */
    @Nullable
    String run() {
        for (int i = 0; i < scenario.depth() && failure == null; i++) {
            happen();
        }
        if (failure == null) {
            draining = true;
            drain();
        }
        return failure;
    }

    private void happen() {
        List<Event> possible = possible();
        perform(possible.get(choices.pick(possible.size())));
    }

    private void perform(Event event) {
        if (trace != null) {
            trace.append("\n  ")
                    .append("  ".repeat(nested))
                    .append(event.what)
                    .append(' ')
                    .append(event.subject);
        }
        int bugsBefore = LOG.bugs();
        try {
            event.action.run();
        } catch (RuntimeException | Error e) {
            fail("thrown: " + e);
        }
        if (LOG.bugs() != bugsBefore) {
            fail("the engine reported a bug in itself");
        }
        check();
    }

    private void perhapsAnotherThread() {
        if (draining || nestsLeft == 0 || nested == 2 || choices.pick(2) == 0) {
            return;
        }
        nestsLeft--;
        nested++;
        happen();
        nested--;
    }

    // ---- what can happen

    private List<Event> possible() {
        List<Event> events = new ArrayList<>();
        if (waiters.size() < scenario.waiters()) {
            events.add(new Event("join", "patient", () -> join(USUAL, Alarm.NEVER)));
            if (scenario.kind() == LockKind.READ_WRITE_LOCK) {
                events.add(new Event("join", "to read", () -> join(USUAL.toRead(), Alarm.NEVER)));
            }
            if (scenario.has(Part.MIXED_WAITERS)) {
                events.add(new Event("join", "at once", () -> join(USUAL, 0)));
                events.add(new Event("join", "for 5 s", () -> join(USUAL, 5 * SECOND)));
                events.add(new Event("join", "fixed", () -> join(FIXED, Alarm.NEVER)));
                events.add(new Event("join", "bounded", () -> join(BOUNDED, 20 * SECOND)));
                if (scenario.kind() == LockKind.READ_WRITE_LOCK) {
                    events.add(new Event("join", "to read at once", () -> join(USUAL.toRead(), 0)));
                    events.add(new Event("join", "to read, bounded", () -> join(BOUNDED.toRead(), 20 * SECOND)));
                    events.add(new Event("join", "to read, fixed", () -> join(FIXED.toRead(), 5 * SECOND)));
                } else if (scenario.kind() == LockKind.SEMAPHORE) {
                    events.add(new Event("join", "one slot", () -> join(USUAL.ofSemaphore(1), Alarm.NEVER)));
                }
            }
        }
        for (SearchWaiter waiter : waiters) {
            if (scenario.has(Part.CANCEL) && waiter.deliveries == 0) {
                events.add(
                        new Event("cancel", waiters.indexOf(waiter), () -> engine.leave(waiter, Refusal.Kind.CLOSED)));
            }
        }
        for (TenureLease lease : held) {
            events.add(new Event("release", lease.tokenValue, () -> release(lease)));
        }
        new ArrayList<>(store.requests).forEach(request -> addEventsOf(request, events));
        for (SearchStore.Push push : List.copyOf(store.pushes)) {
            events.add(new Event("deliver", push, () -> {
                store.pushes.remove(push);
                store.deliver(push);
            }));
            if (scenario.has(Part.PUSH_FAULTS)) {
                events.add(new Event("deliver and keep", push, () -> store.deliver(push)));
                events.add(new Event("drop", push, () -> {
                    disturbed = true;
                    store.pushes.remove(push);
                }));
            }
        }
        addTime(events);
        addOthers(events);
        if (events.isEmpty()) {
            events.add(new Event("nothing", "", () -> {}));
        }
        return events;
    }

    private void addEventsOf(SearchStore.Request<?> request, List<Event> events) {
        if (request.isExecuted()) {
            events.add(new Event("answer", request, () -> answer(request)));
        } else {
            events.add(new Event("execute and answer", request, () -> {
                request.execute();
                answer(request);
            }));
            if (scenario.has(Part.LATE_ANSWERS)) {
                events.add(new Event("execute", request, request::execute));
            }
        }
        if (!scenario.has(Part.FAILURES)) {
            return;
        }
        events.add(new Event("fail", request, () -> {
            request.ghostUntilNanos = clock.nanoTime() + SearchStore.SETTLING.toNanos();
            if (!request.isExecuted()) {
                store.ghosts.add(request);
            }
            fail(request, new TimeoutException("searching"));
        }));
        if (!request.isExecuted()) {
            events.add(new Event("not sent", request, () -> fail(request, new NotSentException("searching", null))));
            if (request.kind.equals("acquire")) {
                events.add(new Event("refuse", request, () -> fail(request, new RefusedException("searching"))));
            }
        }
    }

    private void addTime(List<Event> events) {
        if (scenario.has(Part.TIME) && clock.hasTask()) {
            events.add(new Event("ring", "", () -> {
                disturbed = true;
                clock.runNext();
            }));
        }
        if (scenario.has(Part.TIME) && clock.hasCancelledTask()) {
            events.add(new Event("ring cancelled", "", clock::runCancelled));
        }
        if (scenario.has(Part.PAUSE)) {
            events.add(new Event("pause", "3 s", () -> pause(3)));
            events.add(new Event("pause", "31 s", () -> pause(31)));
        }
    }

    private void addOthers(List<Event> events) {
        for (SearchStore.Request<?> ghost : List.copyOf(store.ghosts)) {
            events.add(new Event("execute after failure", ghost, () -> haunt(ghost)));
        }
        if (scenario.has(Part.HINTS)) {
            events.add(new Event("hint", "", () -> store.events().maybeFree(store.key)));
            events.add(new Event("recheck", "", () -> store.events().recheckAll("searching")));
        }
        if (scenario.has(Part.RIVAL)) {
            Owner there = rival;
            events.add(
                    there == null
                            ? new Event("rival comes", "", () -> {
                                rival = new Owner(9, ++rivals);
                                store.rivalComes(rival);
                            })
                            : new Event("rival goes", "", () -> rivalGoes(there)));
        }
        if (scenario.has(Part.TAKE_AWAY)) {
            events.add(new Event("take away", "", store::takeAway));
            for (Owner owner : List.copyOf(store.taken)) {
                events.add(new Event("tell lost", owner, () -> {
                    store.events().lost(store.key, owner, "taken away");
                }));
            }
        }
    }

    private void join(Terms wanted, long maxWaitNanos) {
        Terms terms = scenario.kind() == LockKind.SEMAPHORE && wanted.slots() == 0
                ? wanted.ofSemaphore(SearchStore.SLOTS)
                : wanted;
        SearchWaiter waiter = new SearchWaiter(engine, store.key, terms, maxWaitNanos, this::told);
        waiter.answersBefore = answers;
        waiters.add(waiter);
        engine.join(waiter);
    }

    private void told(SearchWaiter waiter, @Nullable TenureLease lease) {
        if (waiter.deliveries != 1) {
            fail("waiter " + waiters.indexOf(waiter) + " was settled " + waiter.deliveries + " times");
        }
        if (waiter.refusal != null) {
            checkReason(waiter, waiter.refusal);
        }
        if (lease != null) {
            if (waiter.terms.slots() > 0 && lease.slot() >= waiter.terms.slots()) {
                fail("slot " + lease.slot() + " went to somebody who knows of " + waiter.terms.slots());
            }
            // Of a lock, whoever holds it here keeps it from the others. A slot that is handed on here says nothing of
            // the others.
            boolean firstOfTenure = leases.stream().noneMatch(other -> other.tenure == lease.tenure);
            answers += scenario.kind() == LockKind.LOCK || firstOfTenure ? 1 : 0;
            checkNew(lease);
            leases.add(lease);
            held.add(lease);
            lease.onLost(loss -> toldLost.merge(lease.tokenValue, 1, Integer::sum));
        }
        perhapsAnotherThread();
    }

    /** What the store said last within the waiter's own wait decides between "busy" and "unavailable". */
    private void checkReason(SearchWaiter waiter, Refusal why) {
        // A cause is a failure that the engine knows of, such as an answer that is overdue.
        boolean silent = why.kind() == Refusal.Kind.UNAVAILABLE && why.cause() == null;
        if (silent && !failed && answers > waiter.answersBefore) {
            fail("a waiter was told 'unavailable' though the lock was held here during its wait, and nothing failed");
        }
        if (why.kind() == Refusal.Kind.BUSY && !waiter.immediate && !anyAnswer) {
            fail("a waiter was told 'busy' by a store that has not said anything");
        }
    }

    private void checkNew(TenureLease lease) {
        if (leases.stream().anyMatch(other -> !isOrdered(other, lease))) {
            fail("token " + lease.tokenValue + " is not above those before it");
        }
        // By the time of the decision: several readers are told one after the other, and the process may stand still in
        // between.
        if (lease.tenure.validUntilNanos - lease.sinceNanos <= 0) {
            fail("lease " + lease.tokenValue + " was over when it was handed out");
        }
        if (uncertain.contains(lease.tenure.owner) && leases.stream().anyMatch(other -> isHandedOn(other, lease))) {
            fail("lease " + lease.tokenValue + " was handed on while its tenure was uncertain");
        }
    }

    /** Readers of one tenure may have been served by one decision, and it may have become uncertain between the two deliveries. */
    private static boolean isHandedOn(TenureLease before, TenureLease after) {
        boolean together = after.tenure.terms.shared() && before.sinceNanos == after.sinceNanos;
        return before.tenure == after.tenure && !together;
    }

    /** Whether what came before has the smaller token, where one of the two keeps the other out. */
    private boolean isOrdered(TenureLease before, TenureLease after) {
        if (before.tokenValue == after.tokenValue) {
            return false;
        }
        if (scenario.kind() == LockKind.LOCK) {
            return before.tokenValue < after.tokenValue;
        }
        boolean takenAway = store.taken.contains(before.tenure.owner) || store.taken.contains(after.tenure.owner);
        return takenAway || !exclude(before, after) || before.tokenValue < after.tokenValue;
    }

    private boolean exclude(TenureLease one, TenureLease other) {
        return scenario.kind() == LockKind.SEMAPHORE
                ? one.slot() == other.slot()
                : !(one.tenure.terms.shared() && other.tenure.terms.shared());
    }

    /** The store holds both for us at once, or this process believes so. */
    private void checkShares() {
        for (TenureLease one : leases) {
            for (TenureLease other : leases) {
                boolean both = one != other && isBelieved(one) && isBelieved(other);
                if (both && exclude(one, other)) {
                    fail("leases " + one.tokenValue + " and " + other.tokenValue + " are valid together");
                }
            }
        }
    }

    private boolean isBelieved(TenureLease lease) {
        return lease.isValid() && !store.taken.contains(lease.tenure.owner);
    }

    private void release(TenureLease lease) {
        held.remove(lease);
        var unused = lease.releaseAsync();
    }

    private void answer(SearchStore.Request<?> request) {
        if (request.kind.equals("renewal")) {
            request.owners.forEach(uncertain::remove);
        }
        anyAnswer = true;
        store.requests.remove(request);
        request.answer();
    }

    private void fail(SearchStore.Request<?> request, Exception how) {
        disturbed = true;
        failed = true;
        if (request.kind.equals("renewal")) {
            uncertain.addAll(request.owners);
        }
        store.requests.remove(request);
        request.future.completeExceptionally(how);
    }

    private void haunt(SearchStore.Request<?> ghost) {
        store.ghosts.remove(ghost);
        if (clock.nanoTime() - ghost.ghostUntilNanos < 0) {
            ghost.execute();
        }
    }

    private void pause(long seconds) {
        disturbed = true;
        failed = true;
        clock.jump(seconds * SECOND);
    }

    private void rivalGoes(Owner owner) {
        rival = null;
        store.rivalGoes(owner);
    }

    // ---- what must hold

    private void fail(String what) {
        if (failure == null) {
            failure = what;
        }
    }

    private void check() {
        int open = 0;
        for (TenureLease lease : leases) {
            if (lease.ended == TenureLease.OPEN) {
                open++;
            }
            Owner owner = lease.tenure.owner;
            if (lease.isValid() && !store.isHeldBy(owner) && !store.taken.contains(owner)) {
                fail("lease " + lease.tokenValue + " is valid, and the store has let go of it");
            }
        }
        if (scenario.kind() != LockKind.LOCK) {
            checkShares();
        } else if (open > 1) {
            fail(open + " leases are open");
        }
        if (clock.liveTasks() > 1) {
            fail(clock.liveTasks() + " tasks at the scheduler");
        }
    }

    /** Everything arrives, everybody lets go: all waiters are served, and nothing is left, here or at the store. */
    private void drain() {
        letGo();
        store.ghosts.stream().toList().forEach(this::haunt);
        letGo();
        if (!disturbed && store.isWoken() && anybodyWaits()) {
            fail("a lost wake-up: the lock is free, all is answered, and somebody waits");
        }
        long start = clock.nanoTime();
        while (failure == null && !isQuiet()) {
            if (!clock.hasTask()) {
                fail("somebody waits, or something is under way, and no alarm is set");
            } else if (clock.nanoTime() - start > 120 * SECOND) {
                fail("somebody waits, or something is under way, for two minutes");
            } else {
                perform(new Event("ring", "", clock::runNext));
                letGo();
            }
        }
        if (failure == null) {
            checkNothingLeft();
        }
    }

    private void letGo() {
        for (int i = 0; failure == null; i++) {
            if (i == 1000) {
                fail("requests without end");
            } else if (!store.requests.isEmpty()) {
                SearchStore.Request<?> request = store.requests.get(0);
                perform(new Event("execute and answer", request, () -> {
                    if (!request.isExecuted()) {
                        request.execute();
                    }
                    answer(request);
                }));
            } else if (!store.pushes.isEmpty()) {
                perform(new Event("deliver", store.pushes.get(0), () -> store.deliver(store.pushes.remove(0))));
            } else if (!held.isEmpty()) {
                perform(new Event("release", held.get(0).tokenValue, () -> release(held.get(0))));
            } else if (rival != null) {
                perform(new Event("rival goes", "", () -> rivalGoes(Objects.requireNonNull(rival))));
            } else {
                return;
            }
        }
    }

    private boolean anybodyWaits() {
        return waiters.stream().anyMatch(waiter -> waiter.deliveries == 0);
    }

    private boolean isQuiet() {
        return !anybodyWaits() && engine.size() == 0 && SearchInsides.underway(engine) == 0;
    }

    private void checkNothingLeft() {
        for (TenureLease lease : leases) {
            int told = toldLost.getOrDefault(lease.tokenValue, 0);
            if (told != (lease.ended == TenureLease.LOST ? 1 : 0)) {
                fail("the holder of lease " + lease.tokenValue + " was told " + told + " times that it was lost");
            }
        }
        if (SearchInsides.alarms(engine.timers) != 0) {
            fail(SearchInsides.alarms(engine.timers) + " alarms are set for nobody");
        }
        if (!store.isForgotten()) {
            fail("the store still keeps something for us");
        }
    }
}
