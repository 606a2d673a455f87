package dev.holdfast.proving.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Planted histories: for each rule one that breaks it, and its nearest neighbours that do not. */
class CheckerTest {
    private static Violation only(Verdict verdict) {
        assertThat(verdict.violations()).hasSize(1);
        return verdict.violations().get(0);
    }

    @Nested
    class Overlap {
        @Test
        void oneAfterTheOtherIsFine() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .release(20, "a", 1)
                            .grant(20, "b", 1)
                            .release(30, "b", 1)
                            .end(40)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aSingleMillisecondIsFound() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .grant(19, "b", 1)
                    .release(20, "a", 1)
                    .release(30, "b", 1)
                    .end(40)
                    .verdict();

            Violation violation = only(verdict);
            assertThat(violation.rule()).isEqualTo(Rule.OVERLAP);
            assertThat(violation.millis()).isEqualTo(1);
            assertThat(violation.sections()).containsExactly(new Section("a", 1), new Section("b", 1));
        }

        // However many come into a hold that lasts, it is one mistake, and lasts as long as there was company.
        @Test
        void aHoldThatManyComeIntoIsOneViolation() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .grant(100, "b", 1)
                    .release(110, "b", 1)
                    .grant(200, "c", 1)
                    .release(220, "c", 1)
                    .release(300, "a", 1)
                    .end(400)
                    .verdict();

            assertThat(only(verdict).millis()).isEqualTo(30);
            assertThat(only(verdict).sections()).hasSize(3);
        }

        @Test
        void twoThreadsOfOneClientAreTwo() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .grant(15, "a", 2)
                    .release(20, "a", 1)
                    .release(30, "a", 2)
                    .end(40)
                    .verdict();

            assertThat(verdict.count(Rule.OVERLAP)).isEqualTo(1);
        }

        @Test
        void beliefEndsAtTheTimeThatTheLibraryGave() {
            assertThat(new Story()
                            .grantUntil(10, "a", 1, 3000)
                            .grant(3000, "b", 1)
                            .release(3100, "b", 1)
                            .release(4000, "a", 1)
                            .end(4100)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aRenewalLengthensBelief() {
            Verdict verdict = new Story()
                    .grantUntil(10, "a", 1, 3000)
                    .believesUntil(2000, "a", 1, 5000)
                    .grant(4000, "b", 1)
                    .release(4100, "b", 1)
                    .release(6000, "a", 1)
                    .end(6100)
                    .verdict();

            assertThat(verdict.count(Rule.OVERLAP)).isEqualTo(1);
        }

        @Test
        void beliefEndsWithANotice() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .told(3000, "a", 1, "callback")
                            .grant(3001, "b", 1)
                            .release(3100, "b", 1)
                            .release(4000, "a", 1)
                            .end(4100)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void theDeadBelieveNothing() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .add(100, Kind.KILLED, "a", 0)
                            .grant(3100, "b", 1)
                            .release(3200, "b", 1)
                            .end(3300)
                            .verdict()
                            .count(Rule.OVERLAP))
                    .isZero();
        }

        // A holder is frozen, a rival works and is done, the holder goes on and is done: no moment with two that run.
        @Test
        void theFrozenBelieveNothing() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .add(100, Kind.FROZEN, "a", 0)
                            .grant(3100, "b", 1)
                            .release(3200, "b", 1)
                            .add(4000, Kind.THAWED, "a", 0)
                            .told(4001, "a", 1, "release")
                            .release(4001, "a", 1)
                            .end(4100)
                            .verdict()
                            .count(Rule.OVERLAP))
                    .isZero();
        }

        @Test
        void whatFollowsTheThawCounts() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .add(100, Kind.FROZEN, "a", 0)
                    .grant(3100, "b", 1)
                    .add(4000, Kind.THAWED, "a", 0)
                    .release(4050, "a", 1)
                    .release(4200, "b", 1)
                    .end(4300)
                    .verdict();

            assertThat(verdict.violations())
                    .filteredOn(each -> each.rule() == Rule.OVERLAP)
                    .singleElement()
                    .satisfies(each -> assertThat(each.millis()).isEqualTo(50));
        }

        // The client was stalled between the answer and the note of it: what it noted later is no earlier grant.
        @Test
        void aGrantThatWasOverBeforeItWasNotedIsNoHold() {
            assertThat(new Story()
                            .grantUntil(5000, "a", 1, 3000)
                            .grant(4900, "b", 1)
                            .release(5100, "b", 1)
                            .release(5200, "a", 1)
                            .end(5300)
                            .verdict()
                            .count(Rule.OVERLAP))
                    .isZero();
        }
    }

    @Nested
    class TokenOrder {
        @Test
        void growingTokensAreFine() {
            assertThat(new Story()
                            .grantToken(0, 10, "a", 1, 5)
                            .release(20, "a", 1)
                            .grantToken(21, 30, "b", 1, 6)
                            .release(40, "b", 1)
                            .end(50)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aSmallerTokenThatWasAskedForLaterIsFound() {
            Verdict verdict = new Story()
                    .grantToken(0, 10, "a", 1, 5)
                    .release(20, "a", 1)
                    .grantToken(21, 30, "b", 1, 4)
                    .release(40, "b", 1)
                    .end(50)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.TOKEN_ORDER);
            assertThat(only(verdict).sentence()).contains("from 5 to 4");
        }

        // Both asked before either had an answer: the later note may be of the earlier grant.
        @Test
        void theOrderOfNotesAloneProvesNothing() {
            assertThat(new Story()
                            .grantToken(0, 10, "a", 1, 5)
                            .release(20, "a", 1)
                            .grantToken(1, 30, "b", 1, 4)
                            .release(40, "b", 1)
                            .end(50)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aTokenThatIsGivenTwiceIsFound() {
            Verdict verdict = new Story()
                    .grantToken(0, 10, "a", 1, 5)
                    .release(20, "a", 1)
                    .grantToken(1, 30, "b", 1, 5)
                    .release(40, "b", 1)
                    .end(50)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.TOKEN_ORDER);
        }
    }

    @Nested
    class LostWrites {
        @Test
        void eachOnTopOfTheLastIsFine() {
            assertThat(new Story()
                            .write(10, "a", 1, 0, 1)
                            .write(20, "b", 1, 1, 2)
                            .end(30)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void anOverwrittenOneIsFound() {
            Verdict verdict = new Story()
                    .write(10, "a", 1, 0, 1)
                    .write(20, "b", 1, 0, 2)
                    .end(30)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.LOST_WRITE);
            assertThat(only(verdict).sections()).containsExactly(new Section("a", 1), new Section("b", 1));
        }

        @Test
        void eachIsLostOnce() {
            Verdict verdict = new Story()
                    .write(10, "a", 1, 0, 1)
                    .write(20, "b", 1, 0, 2)
                    .write(30, "c", 1, 0, 3)
                    .end(40)
                    .verdict();

            assertThat(verdict.count(Rule.LOST_WRITE)).isEqualTo(2);
        }

        @Test
        void whatNobodyWasToldOfMayBeLost() {
            assertThat(new Story()
                            .add(10, Kind.APPLIED, "a", 1, "based", 0, "version", 1)
                            .write(20, "b", 1, 0, 2)
                            .end(30)
                            .verdict()
                            .violations())
                    .isEmpty();
        }
    }

    @Nested
    class NoticesOfLoss {
        /** a holds for long, b is granted at 1000, a ends at the given time. */
        private Story lost() {
            return new Story().grant(10, "a", 1).grant(1000, "b", 1).release(1010, "b", 1);
        }

        @Test
        void neverToldIsFound() {
            Verdict verdict = lost().release(5100, "a", 1).end(5200).verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isEqualTo(1);
            assertThat(verdict.count(Rule.LATE_NOTICE)).isZero();
        }

        @Test
        void givenBackWithinALeaseIsCountedAndNoViolation() {
            Verdict verdict = lost().release(4900, "a", 1).end(5200).verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isZero();
            assertThat(verdict.unaware()).isEqualTo(1);
        }

        @Test
        void toldInTimeIsFine() {
            Verdict verdict = lost().told(2000, "a", 1, "callback")
                    .release(6000, "a", 1)
                    .end(6100)
                    .verdict();

            assertThat(verdict.violations()).extracting(Violation::rule).containsOnly(Rule.OVERLAP);
            assertThat(verdict.worstNoticeMillis()).isEqualTo(1000);
        }

        @Test
        void toldLateIsFound() {
            Verdict verdict = lost().told(5100, "a", 1, "release")
                    .release(5100, "a", 1)
                    .end(5200)
                    .verdict();

            assertThat(verdict.count(Rule.LATE_NOTICE)).isEqualTo(1);
            assertThat(verdict.count(Rule.SILENT_LOSS)).isZero();
            assertThat(verdict.worstNoticeMillis()).isEqualTo(4100);
        }

        @Test
        void theLibrarysOwnDeadlineIsANotice() {
            Verdict verdict = new Story()
                    .grantUntil(10, "a", 1, 3000)
                    .grant(1000, "b", 1)
                    .release(1010, "b", 1)
                    .release(9000, "a", 1)
                    .end(9100)
                    .verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isZero();
            assertThat(verdict.worstNoticeMillis()).isEqualTo(2000);
        }

        // unlock() throws because it has no answer: late, but not silent.
        @Test
        void aReleaseThatFailsIsANotice() {
            Verdict verdict = lost().add(5100, Kind.RELEASING, "a", 1)
                    .add(5200, Kind.RELEASE_FAILED, "a", 1, "why", "a timeout")
                    .end(5300)
                    .verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isZero();
            assertThat(verdict.count(Rule.LATE_NOTICE)).isEqualTo(1);
        }

        // The promise ran out, a rival came and went, and then the library said again that the lock is held.
        @Test
        void whoBelievesAgainAfterARivalHadItWasNeverTold() {
            Verdict verdict = new Story()
                    .grantUntil(10, "a", 1, 3000)
                    .grant(3100, "b", 1)
                    .release(3200, "b", 1)
                    .believesUntil(4000, "a", 1, 7000)
                    .believesUntil(6500, "a", 1, 9500)
                    .release(8000, "a", 1)
                    .end(8100)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.SILENT_LOSS);
        }

        @Test
        void theTimeInWhichTheHolderWasFrozenDoesNotCount() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .add(500, Kind.FROZEN, "a", 0)
                    .grant(1000, "b", 1)
                    .release(1010, "b", 1)
                    .add(9000, Kind.THAWED, "a", 0)
                    .told(9100, "a", 1, "release")
                    .release(9100, "a", 1)
                    .end(9200)
                    .verdict();

            assertThat(verdict.violations()).isEmpty();
            assertThat(verdict.worstNoticeMillis()).isEqualTo(100);
        }

        @Test
        void theTimeInWhichTheHolderHadNoProcessorDoesNotCount() {
            Verdict verdict = lost().stall(1100, 5000, "a")
                    .told(5100, "a", 1, "callback")
                    .release(5100, "a", 1)
                    .end(5200)
                    .verdict();

            assertThat(verdict.count(Rule.LATE_NOTICE)).isZero();
        }

        @Test
        void theKilledCannotBeTold() {
            Verdict verdict = lost().add(4900, Kind.KILLED, "a", 0).end(9100).verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS) + verdict.count(Rule.LATE_NOTICE))
                    .isZero();
            assertThat(verdict.worstNoticeMillis()).isZero();
            assertThat(verdict.unaware()).isZero();
        }

        // A mixture loses the lock of somebody whom it kills much later: until then there was time to tell it.
        @Test
        void whoWasNotToldInTimeAndKilledAfterwardsIsFound() {
            Verdict verdict = lost().add(9000, Kind.KILLED, "a", 0).end(9100).verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isEqualTo(1);
        }

        // It hung in a question about the lock, so it never stopped and had to be killed.
        @Test
        void whoIsKilledBecauseItDidNotStopWasNeverTold() {
            Verdict verdict = lost().end(9000).add(21_000, Kind.KILLED, "a", 0).verdict();

            assertThat(verdict.count(Rule.SILENT_LOSS)).isEqualTo(1);
            assertThat(verdict.count(Rule.LATE_NOTICE)).isZero();
        }

        @Test
        void aStallOfSomebodyElseExplainsNothing() {
            Verdict verdict = lost().stall(1100, 5000, "b")
                    .told(5100, "a", 1, "callback")
                    .release(5100, "a", 1)
                    .end(5200)
                    .verdict();

            assertThat(verdict.count(Rule.LATE_NOTICE)).isEqualTo(1);
        }
    }

    @Nested
    class Stuck {
        /** The fault is over at 1000; b waits in calls of six seconds. */
        private Story healed() {
            return new Story()
                    .grant(10, "a", 1)
                    .release(20, "a", 1)
                    .runner(100, Kind.FAULT, "name", "f")
                    .runner(1000, Kind.HEALED, "name", "f");
        }

        @Test
        void aFreeLockThatIsGivenInTimeIsFine() {
            assertThat(healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 6000)
                            .add(4900, Kind.GRANT, "b", 1)
                            .release(5000, "b", 1)
                            .end(5100)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aFreeLockThatNobodyGetsIsFound() {
            Verdict verdict = healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 6000)
                    .add(5100, Kind.GRANT, "b", 1)
                    .release(5200, "b", 1)
                    .end(5300)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(verdict).millis()).isEqualTo(4100);
        }

        // Curator says SUSPENDED when a connection is reset. The session lives on, and so does the lock of a holder
        // that we have
        // work on: nobody else can get it, and that is no fault of the library.
        @Test
        void aLockInDoubtThatItsHolderKeepsIsNotFree() {
            Story story = new Story()
                    .grant(10, "a", 1)
                    .runner(100, Kind.FAULT, "name", "reset")
                    .told(110, "a", 1, "callback")
                    .runner(200, Kind.HEALED, "name", "reset")
                    .add(210, Kind.ATTEMPT, "b", 1, "wait", 6000)
                    .release(5000, "a", 1)
                    .end(5000);

            assertThat(story.verdict().violations()).isEmpty();
            assertThat(story.verdict().longestGapMillis()).isEqualTo(4890);
        }

        // A library that names an end, or says no when it is asked, has no such doubt.
        @Test
        void aLockThatIsCertainlyLostIsFree() {
            assertThat(new Story()
                            .grantUntil(10, "a", 1, 3000)
                            .told(110, "a", 1, "callback")
                            .add(210, Kind.ATTEMPT, "b", 1, "wait", 6000)
                            .release(5000, "a", 1)
                            .end(5000)
                            .verdict()
                            .count(Rule.STUCK))
                    .isEqualTo(1);
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .told(110, "a", 1, "question")
                            .add(210, Kind.ATTEMPT, "b", 1, "wait", 6000)
                            .release(5000, "a", 1)
                            .end(5000)
                            .verdict()
                            .count(Rule.STUCK))
                    .isEqualTo(1);
        }

        // Each call fails at once, and the client waits longer between two calls than a call takes.
        @Test
        void aLockThatFailsAtOnceAgainAndAgainIsStuck() {
            Story story = healed();
            for (int i = 1; i <= 200; i++) {
                story.add(1000 + 25 * i, Kind.ATTEMPT, "b", i, "wait", 6000)
                        .add(1001 + 25 * i, Kind.UNAVAILABLE, "b", i);
            }
            Verdict verdict = story.end(6100).verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(verdict).millis()).isEqualTo(5100);
        }

        @Test
        void whatTheMachineSleptThroughDoesNotCount() {
            Verdict verdict = healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 6000)
                    .add(5100, Kind.GRANT, "b", 1)
                    .release(5200, "b", 1)
                    .stall(2000, 2500, Event.RUNNER)
                    .end(5300)
                    .verdict();

            assertThat(verdict.violations()).isEmpty();
            assertThat(verdict.stalledMillis()).isEqualTo(500);
        }

        // Clients of a busy machine stood still for a second each while the runner ran.
        @Test
        void whatAClientSleptThroughDoesNotCountEither() {
            assertThat(healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 6000)
                            .add(5100, Kind.GRANT, "b", 1)
                            .release(5200, "b", 1)
                            .stall(2000, 2500, "b")
                            .end(5300)
                            .runner(9700, Kind.PROBED, "got", "no", "millis", 4400)
                            .stall(6000, 6500, "b")
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aLockThatNobodyWantsIsNotStuck() {
            assertThat(healed().end(9000).verdict().violations()).isEmpty();
        }

        @Test
        void whileTheFaultLastsNobodyIsStuck() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .release(20, "a", 1)
                            .runner(100, Kind.FAULT, "name", "f")
                            .add(200, Kind.ATTEMPT, "b", 1, "wait", 6000)
                            .end(9000)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aCallThatOutlivesItsLimitIsFound() {
            Verdict verdict = healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 2000)
                    .grant(1001, "c", 1)
                    .release(9000, "c", 1)
                    .end(9000)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(verdict).sentence()).contains("had not come back");
        }

        // The runner kills whoever does not stop. That must not hide why it did not stop.
        @Test
        void aCallThatNeverComesBackIsFoundAlthoughItsClientIsKilledAtTheEnd() {
            Verdict verdict = healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 2000)
                    .grant(1001, "c", 1)
                    .release(4000, "c", 1)
                    .end(4100)
                    .add(16_100, Kind.KILLED, "b", 0)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(verdict).millis()).isEqualTo(15_100);
            assertThat(only(verdict).sentence()).contains("had not come back");
        }

        @Test
        void aReleaseThatDoesNotComeBackIsFound() {
            Verdict late = healed().grant(1100, "b", 1)
                    .add(1200, Kind.RELEASING, "b", 1)
                    .told(1300, "b", 1, "callback")
                    .add(5300, Kind.RELEASE_FAILED, "b", 1)
                    .end(5400)
                    .verdict();
            Verdict never = healed().grant(1100, "b", 1)
                    .add(1200, Kind.RELEASING, "b", 1)
                    .end(5000)
                    .add(17_000, Kind.KILLED, "b", 0)
                    .verdict();

            assertThat(only(late).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(late).millis()).isEqualTo(4100);
            assertThat(only(never).millis()).isEqualTo(15_800);
        }

        // A release of what had been lost before is noted by nothing: the client stops, or asks again.
        @Test
        void aReleaseThatCameBackIsFine() {
            assertThat(healed().grant(1100, "b", 1)
                            .told(1150, "b", 1, "question")
                            .add(1200, Kind.RELEASING, "b", 1)
                            .grant(1300, "b", 2)
                            .told(1350, "b", 2, "question")
                            .add(1400, Kind.RELEASING, "b", 2)
                            .end(9000)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        // The kill at the end is no fault, so it does not begin the time in which the lock has to be free again.
        @Test
        void aKillAtTheEndDoesNotHideThatNobodyGotTheLock() {
            Verdict verdict = healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 6000)
                    .end(5800)
                    .add(6900, Kind.UNAVAILABLE, "b", 1)
                    .add(17_800, Kind.KILLED, "c", 0)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.STUCK);
            assertThat(only(verdict).millis()).isEqualTo(4800);
        }

        @Test
        void aCallOfTheKilledDoesNotHang() {
            assertThat(healed().add(1000, Kind.ATTEMPT, "b", 1, "wait", 2000)
                            .add(1500, Kind.KILLED, "b", 0)
                            .grant(1600, "c", 1)
                            .release(9000, "c", 1)
                            .end(9000)
                            .verdict()
                            .violations())
                    .isEmpty();
        }
    }

    @Nested
    class LeftBehind {
        @Test
        void aLockThatIsFreeAgainIsFine() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .release(20, "a", 1)
                            .end(30)
                            .runner(3000, Kind.PROBED, "got", "yes", "millis", 2900)
                            .verdict()
                            .violations())
                    .isEmpty();
        }

        @Test
        void aLockThatIsNotIsFound() {
            Verdict verdict = new Story()
                    .grant(10, "a", 1)
                    .release(20, "a", 1)
                    .end(30)
                    .runner(5000, Kind.PROBED, "got", "no", "millis", 4900)
                    .verdict();

            assertThat(only(verdict).rule()).isEqualTo(Rule.LEFT_BEHIND);
        }

        @Test
        void aProbeThatSleptProvesNothing() {
            assertThat(new Story()
                            .grant(10, "a", 1)
                            .release(20, "a", 1)
                            .end(30)
                            .stall(1000, 3000, Event.RUNNER)
                            .runner(5000, Kind.PROBED, "got", "no", "millis", 4900)
                            .verdict()
                            .violations())
                    .isEmpty();
        }
    }

    @Nested
    class WrongAnswer {
        private Verdict busy(String unreachable, long from, long to) {
            return new Story()
                    .runner(100, Kind.FAULT, "name", "cut", "unreachable", unreachable)
                    .add(from, Kind.ATTEMPT, "b", 1, "wait", 0)
                    .add(to, Kind.BUSY, "b", 1)
                    .runner(1000, Kind.HEALED, "name", "cut")
                    .end(2000)
                    .verdict();
        }

        @Test
        void busyFromBehindACutIsFound() {
            assertThat(only(busy("b", 200, 300)).rule()).isEqualTo(Rule.WRONG_ANSWER);
            assertThat(only(busy("all", 200, 300)).rule()).isEqualTo(Rule.WRONG_ANSWER);
            assertThat(only(busy("a,b", 200, 300)).rule()).isEqualTo(Rule.WRONG_ANSWER);
        }

        @Test
        void busyFromSomebodyWhoCouldAskIsFine() {
            assertThat(busy("a", 200, 300).violations()).isEmpty();
            assertThat(busy("b", 50, 300).violations()).isEmpty();
            assertThat(busy("b", 200, 1001).violations()).isEmpty();
        }

        @Test
        void whoHoldsItItselfKnows() {
            assertThat(new Story()
                            .grant(10, "b", 7)
                            .runner(100, Kind.FAULT, "name", "cut", "unreachable", "b")
                            .add(200, Kind.ATTEMPT, "b", 8, "wait", 0)
                            .add(300, Kind.BUSY, "b", 8)
                            .runner(1000, Kind.HEALED, "name", "cut")
                            .release(1100, "b", 7)
                            .end(2000)
                            .verdict()
                            .violations())
                    .isEmpty();
        }
    }

    @Test
    void theLongestTimeWithoutServiceIsMeasured() {
        Verdict verdict = new Story()
                .grant(10, "a", 1)
                .release(20, "a", 1)
                .grant(520, "b", 1)
                .release(530, "b", 1)
                .end(600)
                .verdict();

        assertThat(verdict.longestGapMillis()).isEqualTo(500);
        assertThat(verdict.grants()).isEqualTo(2);
    }
}
