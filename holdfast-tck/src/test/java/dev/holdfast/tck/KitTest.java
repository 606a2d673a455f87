package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** A kit is worth what it finds: each planted fault turns the test red that is there to find it. */
@Tag("thorough")
class KitTest {
    private static final String KILLED_HOLDER = "theLocksOfAKilledProcessAreGrantedAtTheEndOfItsLeaseAndSoonAfter";
    private static final String KILLED_PERMITS =
            "thePermitsOfKilledProcessesAreFreeAfterTheirLeasesNoneLostAndNoneDoubled";
    private static final String KILLED_WAITER = "aProcessThatIsKilledWhileWaitingHoldsNobodyUpForLongerThanItsLease";

    static Stream<Arguments> faults() {
        return Stream.of(
                fault(
                        Faults.ReleasesWithoutComparing::new,
                        "aStaleHolderCanNeitherRenewNorReleaseNorWithdrawItsSuccessor"),
                fault(Faults.ReleasesWithoutComparing::new, "aResentReleaseTouchesNothing"),
                fault(Faults.ReleasesWithoutComparing::new, "aResentReleaseDoesNotSkipAWaiter"),
                fault(Faults.RepeatsTokens::new, "tokensGrowAcrossReleaseWithBlocksOfAnySize"),
                fault(Faults.RepeatsTokens::new, "tokensGrowAcrossExpiry"),
                fault(Faults.RepeatsTokens::new, "tokensGrowAcrossARestartOfTheClient"),
                fault(Faults.RenewsForAnybody::new, "aStaleHolderCanNeitherRenewNorReleaseNorWithdrawItsSuccessor"),
                fault(Faults.RenewsForAnybody::new, "anExpiredTenureIsNotRevived"),
                fault(Faults.RenewsForAnybody::new, "aBrokenHolderLearnsOfItWithItsNextRenewal"),
                fault(Faults.LosesWakeUps::new, "waitersAreWokenTheWayTheGuaranteesSay"),
                fault(Faults.NeverHandsOver::new, "waitersAreWokenTheWayTheGuaranteesSay"),
                fault(Faults.LosesWakeUps::new, "aWaiterIsServedAfterAReleaseLongBeforeTheLeaseWouldHaveEnded"),
                fault(Faults.LosesWakeUps::new, "manyThreadsOfSeveralClientsHoldTheLockOneAtATimeWithGrowingTokens"),
                fault(Faults.RepeatsTokens::new, "tokensGrowAcrossABreak"),
                fault(Faults.RenewsForAnybody::new, "renewalComparesTheTokenBesideTheOwner"),
                fault(Faults.RenewsInName::new, "aRenewedLockOutlivesItsFirstLease"),
                fault(Faults.RenewsInName::new, "anOpenLeaseIsHeldForManyLeaseDurations"),
                fault(Faults.GrantsEverybody::new, "ofManyClaimsAtOnceForAnExpiredLockExactlyOneIsGranted"),
                fault(Faults.GrantsEverybody::new, "tryAcquireAnswersAtOnceBothWays"),
                fault(TimeFaults.ExpiresTooEarly::new, "aWaiterIsServedWhenASilentHolderExpires"),
                fault(TimeFaults.ExpiresTooEarly::new, "closingALostLeaseIsQuietAndHarmless"),
                fault(Faults.LosesWakeUps::new, "breakingHandsOverLikeARelease"),
                fault(Faults.LosesWakeUps::new, "oddNamesAreWokenUnderTheirOwnName"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "whoGivesUpIsToldWhoHoldsTheLockAndLeavesNothingQueued"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "withdrawingWhatIsNotThereTouchesNothing"),
                fault(Faults.GrantsResentClaimsAnew::new, "anAcquireThatIsSentManyTimesAtOnceIsGrantedOnce"),
                fault(Faults.DeclaresTooMuch::new, "aWaiterIsShownToOperatorsWhereTheStoreKeepsAQueue"),
                fault(Faults.DeclaresTooMuch::new, "aNewcomerDoesNotOvertakeWhoeverWaits"),
                fault(Faults.DeclaresTooMuch::new, "releaseAndClaimGivesTheLockToWhoeverWaitsAndQueuesBehindIt"),
                fault(Faults.LeaksGrantsOnWithdrawal::new, "withdrawingReleasesAGrantThatWasFaster"),
                fault(Faults.LeaksGrantsOnWithdrawal::new, "withdrawingReleasesAGrantThatWasHandedOver"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "aWithdrawnClaimIsNotServed"),
                fault(
                        Faults.LeavesWithdrawnClaimsQueued::new,
                        "closingWhileWaitingFailsTheWaitersAndLeavesNothingQueued"),
                fault(Faults.GrantsResentClaimsAnew::new, "aResentAcquireIsAnsweredWithTheSameGrant"),
                fault(Faults.GrantsResentClaimsAnew::new, "askingAgainAfterThePushIsAnsweredWithThePushedGrant"),
                fault(Faults.MovesResentClaimsBack::new, "aResentQueueingClaimKeepsItsOnePlace"),
                fault(Faults.ServesTheNewestFirst::new, "clientsAreServedInTheOrderOfTheirWaitingIfDeclared"),
                fault(TimeFaults.ExpiresFarTooLate::new, "anExpiredLockIsFreeForOthersAndNotBeforeItsHolderKnows"),
                fault(TimeFaults.ExpiresTooEarly::new, "anExpiredLockIsFreeForOthersAndNotBeforeItsHolderKnows"),
                fault(TimeFaults.OverstatesValidity::new, "validityIsCountedFromBeforeTheRequestWithDriftTakenOff"),
                fault(Faults.GrantsEverybody::new, "manyThreadsOfSeveralClientsHoldTheLockOneAtATimeWithGrowingTokens"),
                fault(Faults.GrantsEverybody::new, "ofManyClaimsAtOnceForAFreeLockExactlyOneIsGranted"),
                fault(Faults.GrantsEverybody::new, "severalNamesAreHeldTogetherOrNotAtAll"),
                fault(Faults.GrantsEverybody::new, "oneLeadsAtATimeAndTheNextOneAfterItResignedOrClosed"),
                fault(Faults.DeclaresTooLittle::new, "waitersAreWokenTheWayTheGuaranteesSay"),
                fault(Faults.DeclaresTooLittle::new, "aQueueingClaimHasAPlaceIffTheGuaranteesSayThatTheStoreKeepsOne"),
                fault(Faults.DeclaresTooMuch::new, "aQueueingClaimHasAPlaceIffTheGuaranteesSayThatTheStoreKeepsOne"),
                fault(Faults.MarksAllConnectionsAlike::new, "twoConnectionsHaveDifferentMarksOrNone"),
                fault(
                        Faults.MarksAllConnectionsAlike::new,
                        "copiesOfOneMemoryNeverShareAnOwnerWhereTheStoreMarksConnections"),
                fault(Faults.BreaksAnyOwner::new, "breakingEndsOnlyTheOwnerThatWasSeen"),
                fault(Faults.FreesAtOnce::new, "aLockThatIsReleasedLaterStaysTakenUntilThenAndNoLonger"),
                fault(Faults.FreesAtOnce::new, "aLeaseThatIsClosedEarlyLeavesTheLockTakenForItsMinimum"),
                fault(Faults.KeepsTheLease::new, "aLockThatIsReleasedLaterStaysTakenUntilThenAndNoLonger"),
                fault(Faults.KeepsTheLease::new, "aLockCanBeKeptForLongerThanItsLease"),
                fault(Faults.KeepsTheLease::new, "aWaiterIsServedWhenTheLockThatIsReleasedLaterIsFree"),
                fault(Faults.KeepsTheLease::new, "releasingLaterComparesTheOwnerAndCanBeSentAgain"),
                fault(Faults.DeclaresTooLittle::new, "aLockCanBeKeptForLongerThanItsLease"),
                fault(Faults.MixesUpBatches::new, "aBatchReportsEachItemInItsOrder"),
                fault(Faults.ListsWithoutLimit::new, "listingHonoursPrefixOrderAndLimit"),
                fault(Faults.FoldsCase::new, "oddNamesWorkAndDoNotCollide"),
                fault(Faults.FreesLocksOnClose::new, "aClosedClientLeavesItsLockToExpire"));
    }

    private static Arguments fault(UnaryOperator<LockBackend> fault, String test) {
        return Arguments.of(fault.apply(new InMemoryBackend()).getClass().getSimpleName(), test, fault);
    }

    @ParameterizedTest(name = "{0} is found by {1}")
    @MethodSource("faults")
    void aPlantedFaultIsFound(String fault, String test, UnaryOperator<LockBackend> planted) {
        // Without the fault the same test is green on the same store: see InMemoryBackendTest. Many faults show only if
        // two
        // threads meet, or hide behind a machine that stands still for as long as the fault is wide. So each is looked
        // for
        // more than once: a fault that is never found in ten runs is one that the kit does not find.
        requireFound(Run.class, planted, test);
    }

    static void requireFound(Class<? extends Run> type, UnaryOperator<LockBackend> planted, String test) {
        Events events = run(type, planted, test);
        for (int again = 0; again < 9 && events.failed().count() == 0; again++) {
            events = run(type, planted, test);
        }
        events.assertStatistics(seen -> seen.started(1).failed(1));
    }

    static Stream<Arguments> processFaults() {
        return Stream.of(
                fault(TimeFaults.ExpiresFarTooLate::new, KILLED_PERMITS),
                fault(SharingFaults.CountsPermits::new, KILLED_PERMITS),
                fault(TimeFaults.ExpiresFarTooLate::new, KILLED_HOLDER),
                fault(TimeFaults.OverstatesRemainingTime::new, KILLED_HOLDER),
                fault(Faults.LeaksGrantsOnWithdrawal::new, KILLED_WAITER));
    }

    @ParameterizedTest(name = "{0} is found by {1}")
    @MethodSource("processFaults")
    void aPlantedFaultIsFoundWithASeparateProcess(String fault, String test, UnaryOperator<LockBackend> planted) {
        // The store is served to a separate JVM over a socket, once without the fault and once with it.
        run(PatientRun.class, PassingOn::new, test)
                .assertStatistics(events -> events.started(1).succeeded(1));
        requireFound(ServedRun.class, planted, test);
    }

    @Test
    void aStoreThatNoOtherProcessReachesHasToSaySo() {
        // The text of the guarantees is the only thing that differs.
        run(Run.class, Faults.DeclaresTooLittle::new, KILLED_HOLDER)
                .assertStatistics(events -> events.started(1).succeeded(1));
        run(Run.class, Faults.ClaimsToBeShared::new, KILLED_HOLDER)
                .assertStatistics(events -> events.started(1).failed(1));
    }

    static Events run(Class<? extends Run> type, UnaryOperator<LockBackend> fault, String test) {
        Run.PLANTED.set(fault);
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(type, test, Bench.class))
                .execute()
                .testEvents();
    }

    @Test
    void everyTestOfTheKitIsRunBySubclasses() {
        // A contract that is written and not listed in LockBackendContract would never run.
        assertThat(LockBackendContract.class.getInterfaces()).hasSize(27).contains(OnBench.class);
    }

    /** JUnit makes the instances, on the thread that runs them, so the fault cannot be handed to a constructor. */
    static class Run extends LockBackendContract {
        static final ThreadLocal<UnaryOperator<LockBackend>> PLANTED = ThreadLocal.withInitial(() -> PassingOn::new);

        private final UnaryOperator<LockBackend> fault = PLANTED.get();

        final InMemoryBackend store = new InMemoryBackend();

        @Override
        protected LockBackend newClient() {
            return fault.apply(store.another());
        }

        @Override
        protected Optional<OtherProcess> otherProcess() {
            return Optional.empty();
        }

        @Override
        protected Duration lease() {
            return Duration.ofMillis(300);
        }

        @Override
        Duration patience() {
            return Duration.ofSeconds(1);
        }
    }

    /** The same store, within reach of another process. */
    static class ServedRun extends Run {
        private final ServedStore served = new ServedStore(this::newClient);

        @Override
        protected Optional<OtherProcess> otherProcess() {
            return Optional.of(new OtherProcess(SocketBackend.Clients.class, served.url()));
        }

        @Override
        Duration patience() {
            return Duration.ofSeconds(3);
        }

        @AfterEach
        void close() throws IOException {
            served.close();
        }
    }

    /** What is right gets as long as it takes. */
    static class PatientRun extends ServedRun {
        @Override
        Duration patience() {
            return Duration.ofSeconds(30);
        }
    }
}
