package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;

/** A quorum of Redis servers. */
public record RedlockStore(String url) implements Store {
    @Override
    public String label() {
        return Passwords.mask(url);
    }

    @Override
    public LockBackend backend() {
        return builder().connect();
    }

    /** Our URL has the new list. Says what was done. */
    public String replace(String old, String replacement) {
        try {
            builder().replaceServer(old, replacement);
        } catch (IllegalStateException notDone) {
            throw new CliException(ExitCode.NO, Failures.describe(notDone));
        }
        return "Replaced " + old + " by " + replacement + ". Give every client the new list of servers. " + replacement
                + " starts to vote after the longest lease; holdfast doctor says when.";
    }

    private RedlockBackend.Builder builder() {
        RedisTls tls = RedisTls.of(url, url.startsWith("redlocks:"));
        return tls.isGiven() ? RedlockBackend.over(tls.client(), tls.url()) : RedlockBackend.builder(tls.url());
    }

    /** For so long a restarted server is kept from voting: all clients must agree on it, so it cannot be chosen here. */
    @Override
    public Duration longestLease() {
        return Duration.ofSeconds(60);
    }

    @Override
    public String initialise() {
        try {
            builder().initialise();
        } catch (IllegalStateException occupied) {
            throw new CliException(ExitCode.NO, String.valueOf(occupied.getMessage()));
        }
        return "The servers at " + label() + " vote from now on.";
    }
}
