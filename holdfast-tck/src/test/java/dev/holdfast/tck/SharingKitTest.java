package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link KitTest}, for semaphores and read-write locks: each of their tests finds at least one planted fault. */
@Tag("thorough")
class SharingKitTest {
    private static final List<Class<?>> CONTRACTS = List.of(
            KindContract.class,
            SemaphoreContract.class,
            SemaphoreQueueContract.class,
            SemaphoreUserContract.class,
            ReadWriteLockContract.class,
            ReadWriteQueueContract.class,
            ReadWriteUserContract.class);

    static Stream<Arguments> faults() {
        return Stream.of(kinds(), semaphores(), readWriteLocks()).flatMap(each -> each);
    }

    private static Stream<Arguments> kinds() {
        return Stream.of(
                fault(SharingFaults.RefusesWithoutAReason::new, "aKindThatIsNotOfferedIsRefusedBeforeAnythingIsSent"),
                fault(SharingFaults.RefusesWithoutAReason::new, "everyPermitIsASlotOfItsOwnAndThereAreNoMore"),
                fault(SharingFaults.FilesAllKindsUnderTheName::new, "oneNameIsThreeDifferentThings"),
                fault(SharingFaults.ListsByNameAlone::new, "aListingShowsOfEachKindWhatItsPrefixNames"),
                fault(SharingFaults.RenewsOneOfAKey::new, "openLeasesOfEveryKindAreRenewed"),
                fault(Faults.RenewsInName::new, "openLeasesOfEveryKindAreRenewed"));
    }

    private static Stream<Arguments> semaphores() {
        return Stream.of(
                fault(SharingFaults.CountsPermits::new, "everyPermitIsASlotOfItsOwnAndThereAreNoMore"),
                fault(SharingFaults.TakesOneSlotTooMany::new, "everyPermitIsASlotOfItsOwnAndThereAreNoMore"),
                fault(SharingFaults.TakesOneSlotTooMany::new, "ofManyClaimsAtOnceNoTwoGetOneSlotAndNoSlotIsLost"),
                fault(SharingFaults.CountsPermits::new, "ofManyClaimsAtOnceNoTwoGetOneSlotAndNoSlotIsLost"),
                fault(Faults.GrantsEverybody::new, "ofManyClaimsAtOnceNoTwoGetOneSlotAndNoSlotIsLost"),
                fault(Faults.RepeatsTokens::new, "theTokensOfASlotGrowAcrossReleaseExpiryAndBreak"),
                fault(TimeFaults.ExpiresTooEarly::new, "theTokensOfASlotGrowAcrossReleaseExpiryAndBreak"),
                fault(Faults.GrantsResentClaimsAnew::new, "aResentClaimKeepsItsOneSlot"),
                fault(SharingFaults.GrantsASecondOneToAResentClaim::new, "aResentClaimKeepsItsOneSlot"),
                fault(
                        SharingFaults.GrantsASecondOneToAResentClaim::new,
                        "anOwnerNeverHasTwoSlotsThoughItAsksWhileItIsServed"),
                fault(SharingFaults.RenewsOneOfAKey::new, "slotsAreRenewedEachByItselfAndInTheOrderOfTheBatch"),
                fault(Faults.MixesUpBatches::new, "slotsAreRenewedEachByItselfAndInTheOrderOfTheBatch"),
                fault(SharingFaults.ShowsOneHolderOnly::new, "everySlotIsShownWithItsHolder"),
                fault(SharingFaults.ShowsTheLastFirst::new, "everySlotIsShownWithItsHolder"),
                fault(Faults.ListsWithoutLimit::new, "everySlotIsShownWithItsHolder"),
                fault(Faults.BreaksAnyOwner::new, "breakingASlotEndsOnlyTheOwnerThatWasSeen"),
                fault(Faults.LosesWakeUps::new, "aFreedSlotGoesToTheHeadOfTheLine"),
                fault(Faults.ServesTheNewestFirst::new, "aFreedSlotGoesToTheHeadOfTheLine"),
                fault(Faults.DeclaresTooMuch::new, "whoWaitsForASlotIsNotOvertaken"),
                fault(SharingFaults.LooksAtTheLastEnd::new, "whoWaitsForASlotIsNotOvertaken"),
                fault(SharingFaults.TakesOneSlotTooMany::new, "aSlotOnlyGoesToAClaimWhoseNumberIsAboveIt"),
                fault(SharingFaults.LetsNobodyPassTheHead::new, "aSlotOnlyGoesToAClaimWhoseNumberIsAboveIt"),
                fault(Faults.LeaksGrantsOnWithdrawal::new, "aWithdrawnClaimHasNeitherAPlaceNorASlot"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "aWithdrawnClaimHasNeitherAPlaceNorASlot"),
                fault(Faults.LosesWakeUps::new, "breakingASlotServesTheNext"),
                fault(SharingFaults.ClaimsBeforeItReleases::new, "aSlotCanBeReleasedAndClaimedAnewInOneStep"),
                fault(SharingFaults.WaitsForTheDead::new, "aDeadWaiterKeepsASlotFromNobodyForLong"),
                fault(Faults.FreesAtOnce::new, "aSlotThatIsReleasedLaterStaysTakenUntilThenAndNoLonger"),
                fault(Faults.KeepsTheLease::new, "aSlotThatIsReleasedLaterStaysTakenUntilThenAndNoLonger"),
                fault(Faults.LosesWakeUps::new, "closingOneOfSeveralPermitsServesWhoeverWaitsElsewhere"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "closingOneOfSeveralPermitsServesWhoeverWaitsElsewhere"),
                fault(SharingFaults.LooksAtTheLastEnd::new, "aWaiterIsServedWhenTheHolderOfASlotExpires"),
                fault(Faults.RenewsForAnybody::new, "aBrokenPermitIsLostAndTheOthersAreNot"),
                fault(Faults.BreaksAnyOwner::new, "aBrokenPermitIsLostAndTheOthersAreNot"),
                fault(Faults.FreesAtOnce::new, "aPermitThatIsClosedEarlyStaysTakenForItsMinimum"),
                fault(SharingFaults.CountsPermits::new, "manyThreadsOfSeveralClientsNeverShareASlotAndItsTokensGrow"),
                fault(Faults.RepeatsTokens::new, "manyThreadsOfSeveralClientsNeverShareASlotAndItsTokensGrow"),
                fault(
                        SharingFaults.TakesOneSlotTooMany::new,
                        "manyThreadsOfSeveralClientsNeverShareASlotAndItsTokensGrow"));
    }

    private static Stream<Arguments> readWriteLocks() {
        return Stream.of(
                fault(SharingFaults.TakesReadersForWriters::new, "readersHoldItTogetherAndAWriterAlone"),
                fault(SharingFaults.TakesWritersForReaders::new, "readersHoldItTogetherAndAWriterAlone"),
                fault(SharingFaults.CountsReadersApart::new, "readersAndWritersTakeTheirTokensFromOneCounter"),
                fault(
                        SharingFaults.TakesWritersForReaders::new,
                        "ofManyClaimsAtOnceAWriterIsNeverGrantedBesideAnybody"),
                fault(
                        SharingFaults.GrantsASecondOneToAResentClaim::new,
                        "aResentClaimOfAReaderOrWriterIsAnsweredWithTheSameGrant"),
                fault(Faults.GrantsResentClaimsAnew::new, "aResentClaimOfAReaderOrWriterIsAnsweredWithTheSameGrant"),
                fault(SharingFaults.GrantsASecondOneToAResentClaim::new, "aReaderThatAsksWhileItIsServedReadsOnce"),
                fault(SharingFaults.RenewsOneOfAKey::new, "readersAndWritersAreRenewedEachByItself"),
                fault(SharingFaults.ShowsOneHolderOnly::new, "readersAreShownOldestFirstAndAWriterAlone"),
                fault(SharingFaults.ShowsTheLastFirst::new, "readersAreShownOldestFirstAndAWriterAlone"),
                fault(Faults.BreaksAnyOwner::new, "breakingEndsOnlyTheReaderThatWasSeen"),
                fault(
                        SharingFaults.LetsReadersPassWaitingWriters::new,
                        "aReaderStandsBehindAWaitingWriterWhereTheStoreIsFair"),
                fault(SharingFaults.ForgetsTheWriter::new, "aReaderStandsBehindAWaitingWriterWhereTheStoreIsFair"),
                fault(SharingFaults.TakesReadersForWriters::new, "aWriterThatEndsServesAllReadersUpToTheNextWriter"),
                fault(SharingFaults.ForgetsTheWriter::new, "aWriterThatEndsServesAllReadersUpToTheNextWriter"),
                fault(TimeFaults.ExpiresFarTooLate::new, "aReaderThatExpiresLetsTheWriterIn"),
                fault(TimeFaults.ExpiresTooEarly::new, "aReaderThatExpiresLetsTheWriterIn"),
                fault(TimeFaults.ExpiresTooEarly::new, "aWriterThatExpiresLetsReadersInAndCannotComeBack"),
                fault(Faults.RenewsForAnybody::new, "aWriterThatExpiresLetsReadersInAndCannotComeBack"),
                fault(Faults.LeavesWithdrawnClaimsQueued::new, "aWriterThatGivesUpLetsTheReadersBehindItIn"),
                fault(Faults.LeaksGrantsOnWithdrawal::new, "aWriterThatGivesUpLetsTheReadersBehindItIn"),
                fault(SharingFaults.ForgetsTheWriter::new, "breakingTheLastReaderServesTheWriter"),
                fault(SharingFaults.ClaimsBeforeItReleases::new, "aWriterCanEndAndReadAnewInOneStep"),
                fault(SharingFaults.WaitsForTheDead::new, "aDeadWriterInTheLineKeepsNobodyWaitingForLong"),
                fault(Faults.FreesAtOnce::new, "aWriterThatIsReleasedLaterKeepsReadersOutUntilThenAndNoLonger"),
                fault(SharingFaults.ForgetsTheWriter::new, "theLastReaderServesTheWriterAndThatTheReadersBehindIt"),
                fault(TimeFaults.ExpiresFarTooLate::new, "aWriterIsServedWhenTheLastReaderExpires"),
                fault(SharingFaults.TakesWritersForReaders::new, "manyThreadsOfSeveralClientsNeverReadBesideAWriter"),
                fault(SharingFaults.CountsReadersApart::new, "manyThreadsOfSeveralClientsNeverReadBesideAWriter"));
    }

    private static Arguments fault(UnaryOperator<LockBackend> fault, String test) {
        return Arguments.of(fault.apply(new InMemoryBackend()).getClass().getSimpleName(), test, fault);
    }

    @ParameterizedTest(name = "{0} is found by {1}")
    @MethodSource("faults")
    void aPlantedFaultIsFound(String fault, String test, UnaryOperator<LockBackend> planted) {
        KitTest.requireFound(KitTest.Run.class, planted, test);
    }

    @Test
    void aStoreThatKeepsLocksOnlyPassesByRefusing() {
        tests().forEach(test -> KitTest.run(KitTest.Run.class, SharingFaults.KeepsLocksOnly::new, test)
                .assertStatistics(events -> events.started(1).succeeded(1)));
    }

    @Test
    void everyTestFindsAtLeastOneFault() {
        Set<String> finding = faults().map(each -> (String) each.get()[1]).collect(Collectors.toSet());
        assertThat(tests()).isNotEmpty().allMatch(finding::contains);
    }

    private static Stream<String> tests() {
        return CONTRACTS.stream()
                .flatMap(contract -> Arrays.stream(contract.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(Method::getName);
    }
}
