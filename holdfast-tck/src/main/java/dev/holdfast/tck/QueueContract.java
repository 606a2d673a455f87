package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.TenureHandle;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is next, and how it learns of it: exactly as declared. */
interface QueueContract {
    @Test
    default void waitersAreWokenTheWayTheGuaranteesSay(Bench bench) throws Exception {
        // One holds, one waits, the holder releases: a grant comes, or a hint comes, or nothing comes.
        bench.untilShown(label -> {
            String name = bench.name(label + "waking");
            Client holder = bench.client();
            Holding held = holder.hold(bench.claim(name));
            Client waiter = bench.client();
            Claim claim = bench.queueing(name);
            waiter.busy(claim);
            assertThat(holder.release(held)).isTrue();
            Waking waking = bench.guarantees().waking();
            boolean shown = true;
            if (waking == Waking.HAND_OVER) {
                Grant grant = waiter.awaitPush(claim);
                assertThat(waiter.state(name).tokens().last().value()).isEqualTo(grant.lastToken());
                shown = waiter.wasPushed(claim) || bench.stoodStill();
                assertThat(shown || waiter.lostContact())
                        .as("a push that was declared")
                        .isTrue();
            } else {
                if (waking == Waking.HINT) {
                    bench.await("a hint that '" + name + "' is free", () -> waiter.wasHinted(name));
                }
                waiter.askUntilGranted(claim);
                assertThat(waiter.wasPushed(claim))
                        .as("a push that was not declared")
                        .isFalse();
            }
            assertThat(waking == Waking.POLL && waiter.wasHinted(name))
                    .as("a hint that was not declared")
                    .isFalse();
            return shown;
        });
    }

    @Test
    default void aQueueingClaimHasAPlaceIffTheGuaranteesSayThatTheStoreKeepsOne(Bench bench) {
        // Core takes back only what is queued, so the answer has to be true both ways.
        String name = bench.name("place");
        bench.client().acquire(bench.claim(name));
        Answer.Busy busy = bench.client().busy(bench.queueing(name));
        Guarantees guarantees = bench.guarantees();
        if (guarantees.fair() || guarantees.waking() == Waking.HAND_OVER) {
            assertThat(busy.queued()).as("queued").isTrue();
        } else if (guarantees.waking() == Waking.POLL) {
            assertThat(busy.queued()).as("queued").isFalse();
        }
        assertThat(bench.client().state(name).waiters()).as("waiters shown").hasSize(guarantees.fair() ? 1 : 0);
    }

    @Test
    default void clientsAreServedInTheOrderOfTheirWaitingIfDeclared(Bench bench) {
        // Four clients begin to wait one after another. Where the store is not fair, all of them are served in some
        // order.
        String name = bench.name("order");
        Client client = bench.client();
        Holding held = client.hold(bench.claim(name));
        List<Client> clients = bench.clients(4);
        List<Claim> claims =
                List.of(bench.queueing(name), bench.queueing(name), bench.queueing(name), bench.queueing(name));
        for (int i = 0; i < 4; i++) {
            clients.get(i).busy(claims.get(i));
        }
        assertThat(client.release(held)).isTrue();
        for (int i = 0; i < 4; i++) {
            int turn = bench.isFair() ? i : servedFirst(bench, clients, claims, i);
            Grant grant = clients.get(turn).awaitTurn(claims.get(turn));
            assertThat(client.state(name).tenure())
                    .isEqualTo(TenureHandle.of(claims.get(turn).owner()));
            assertThat(clients.get(turn).release(Client.holding(claims.get(turn), grant)))
                    .isTrue();
        }
        assertThat(client.describe(name)).isEmpty();
    }

    /** Without a declared order whoever asks is served; where the store pushes all the same, whoever it chose. */
    private static int servedFirst(Bench bench, List<Client> clients, List<Claim> claims, int asking) {
        if (!bench.handsOver()) {
            return asking;
        }
        int[] served = new int[1];
        bench.await("somebody is served", () -> {
            Object tenure = clients.get(0)
                    .describe(claims.get(0).key())
                    .map(state -> (Object) state.tenure())
                    .orElse("nobody");
            served[0] = claims.stream()
                    .map(claim -> TenureHandle.of(claim.owner()))
                    .toList()
                    .indexOf(tenure);
            return served[0] >= 0;
        });
        return served[0];
    }

    @Test
    default void aNewcomerDoesNotOvertakeWhoeverWaits(Bench bench) throws Exception {
        // The holder's lease ends while somebody waits. A newcomer asks first; where the store is fair it has to stand
        // back.
        Client holder = bench.client();
        Client waiter = bench.client();
        Client newcomer = bench.client();
        bench.inTime(bench.lease(), lease -> {
            String name = bench.name("newcomer after " + lease);
            Grant held = holder.acquire(bench.claim(name, lease, 1, false));
            Claim claim = bench.queueing(name);
            Answer early = waiter.ask(claim);
            if (early instanceof Answer.Granted && bench.now() - held.validUntilNanos() >= 0) {
                return false;
            }
            assertThat(early).isInstanceOf(Answer.Busy.class);
            bench.await(
                    "the lock expires",
                    () -> newcomer.describe(name)
                            .filter(state -> !state.tenure().isOf(claim.owner()))
                            .isEmpty());
            Answer answer = newcomer.ask(bench.claim(name));
            if (bench.isFair()) {
                assertThat(answer).isInstanceOf(Answer.Busy.class);
                waiter.askUntilGranted(claim);
            } else if (answer instanceof Answer.Granted) {
                waiter.busy(claim);
            }
            return true;
        });
    }

    @Test
    default void aWaiterIsShownToOperatorsWhereTheStoreKeepsAQueue(Bench bench) {
        // Two wait behind a holder, in order.
        String name = bench.name("shown");
        Client holder = bench.client();
        holder.acquire(bench.claim(name));
        Claim first = bench.describedAs(bench.queueing(name), "first");
        Claim second = bench.describedAs(bench.queueing(name), "second");
        bench.client().busy(first);
        bench.client().busy(second);
        List<Waiting> expected = bench.isFair() ? List.of(shown(first), shown(second)) : List.of();
        assertThat(holder.state(name).waiters()).isEqualTo(expected);
        assertThat(holder.answerOf(holder.backend.list(name, 10)))
                .singleElement()
                .satisfies(state -> assertThat(state.waiters()).isEqualTo(expected));
    }

    private static Waiting shown(Claim claim) {
        return Waiting.of(claim.holder(), Instant.EPOCH.plus(claim.sinceMicros(), ChronoUnit.MICROS));
    }

    @Test
    default void releaseAndClaimGivesTheLockToWhoeverWaitsAndQueuesBehindIt(Bench bench) {
        // A holder that has more to do lets go and asks again, in one request. Whoever waits goes first, where the
        // store is
        // fair; without a queue the holder may simply get it again, with newer tokens.
        String name = bench.name("again");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client waiter = bench.client();
        Claim waiting = bench.queueing(name);
        waiter.busy(waiting);
        Claim again = bench.queueing(name);
        Answer answer = holder.releaseAndClaim(held, again);
        if (answer instanceof Answer.Granted granted) {
            assertThat(bench.isFair()).as("fair, and the waiter was overtaken").isFalse();
            assertThat(granted.grant().lastToken() - granted.grant().tokens()).isGreaterThanOrEqualTo(held.lastToken());
            return;
        }
        Grant grant = waiter.awaitTurn(waiting);
        assertThat(grant.lastToken()).isGreaterThan(held.lastToken());
        assertThat(waiter.release(Client.holding(waiting, grant))).isTrue();
        assertThat(holder.awaitTurn(again).lastToken()).isGreaterThan(grant.lastToken());
    }

    @Test
    default void releaseAndClaimWithoutRivalsIsANewTenure(Bench bench) {
        // Nobody waits: the same process gets the lock again, under the new owner and above the old tokens.
        String name = bench.name("alone");
        Client client = bench.client();
        Holding held = client.hold(bench.claim(name));
        Claim next = bench.queueing(name);
        Answer answer = client.releaseAndClaim(held, next);
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        Grant grant = ((Answer.Granted) answer).grant();
        assertThat(grant.lastToken() - grant.tokens()).isGreaterThanOrEqualTo(held.lastToken());
        assertThat(client.release(held)).isFalse();
        assertThat(client.state(name).tenure()).isEqualTo(TenureHandle.of(next.owner()));
    }
}
