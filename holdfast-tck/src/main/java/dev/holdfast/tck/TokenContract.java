package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every tenure reserves a block of tokens above all blocks of the tenures before it. */
interface TokenContract {
    @Test
    default void tokensGrowAcrossReleaseWithBlocksOfAnySize(Bench bench) {
        // Two clients take turns and ask for blocks of very different sizes.
        String name = bench.name("turns");
        List<Client> clients = bench.clients(2);
        long highest = 0;
        int turn = 0;
        for (int tokens : List.of(1, 16, 3, 1000, 1, 1, 16, 7)) {
            Client client = clients.get(turn++ % 2);
            Claim claim = bench.claim(name, Bench.LONG, tokens, false);
            Grant grant = client.acquire(claim);
            highest = requireBlockAbove(highest, claim, grant);
            assertThat(client.release(Client.holding(claim, grant))).isTrue();
        }
    }

    @Test
    default void tokensGrowAcrossExpiry(Bench bench) {
        // The holder never releases. Its successor comes after the end of the lease.
        String name = bench.name("expiry");
        Claim first = bench.brief(name);
        long highest = requireBlockAbove(0, first, bench.client().acquire(first));
        Claim second = bench.claim(name);
        requireBlockAbove(highest, second, bench.client().askUntilGranted(second));
    }

    @Test
    default void tokensGrowAcrossARestartOfTheClient(Bench bench) {
        // The only client ends and a new one begins. What it knew must not have been the source of tokens.
        String name = bench.name("restart");
        long highest = 0;
        for (int i = 0; i < 3; i++) {
            Client client = bench.client();
            Claim claim = bench.claim(name, Bench.LONG, 16 - 5 * i, false);
            Grant grant = client.acquire(claim);
            highest = requireBlockAbove(highest, claim, grant);
            client.release(Client.holding(claim, grant));
            client.close();
        }
    }

    @Test
    default void tokensGrowAcrossHandOverAndEachReceiverGetsABlockOfItsOwnSize(Bench bench) {
        // Holders with blocks of 1, 16 and 2 follow each other while waiting for each other.
        String name = bench.name("hand-over");
        List<Client> clients = bench.clients(3);
        List<Claim> claims = List.of(
                bench.claim(name, Bench.LONG, 1, true),
                bench.claim(name, Bench.LONG, 16, true),
                bench.claim(name, Bench.LONG, 2, true));
        Grant grant = clients.get(0).acquire(claims.get(0));
        long highest = requireBlockAbove(0, claims.get(0), grant);
        for (int i = 1; i < 3; i++) {
            clients.get(i).busy(claims.get(i));
            assertThat(clients.get(i - 1).release(Client.holding(claims.get(i - 1), grant)))
                    .isTrue();
            grant = clients.get(i).awaitTurn(claims.get(i));
            highest = requireBlockAbove(highest, claims.get(i), grant);
        }
    }

    @Test
    default void tokensGrowAcrossABreak(Bench bench) {
        // An operator ends the first tenure.
        String name = bench.name("break");
        Client client = bench.client();
        Claim first = bench.claim(name);
        long highest = requireBlockAbove(0, first, client.acquire(first));
        assertThat(client.answerOf(client.backend.breakLock(name, first.owner(), 0)))
                .isPresent();
        Claim second = bench.claim(name);
        requireBlockAbove(highest, second, client.acquire(second));
    }

    private static long requireBlockAbove(long highest, Claim claim, Grant grant) {
        assertThat(grant.tokens()).as("tokens reserved").isBetween(1, claim.tokens());
        assertThat(grant.lastToken() - grant.tokens() + 1)
                .as("lowest token of the block")
                .isGreaterThan(highest);
        return grant.lastToken();
    }
}
