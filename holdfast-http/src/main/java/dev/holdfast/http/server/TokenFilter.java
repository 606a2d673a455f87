package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import dev.holdfast.spi.Secrets;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests of a holder whose lease has ended: 409, with a problem document, and the handler does not run. Put it behind
 * authentication and authorisation, because whoever passes it raises the guard.
 *
 * <pre>{@code
 * TokenFilter.announcingAt(SqlTokenGuard.over(dataSource)).build().addTo(servletContext, "/orders/*");
 * }</pre>
 *
 * <p>Requests that write must have a token. GET, HEAD, OPTIONS and TRACE may have one, which is announced too. A handler can
 * still pause between this check and its write; only one that checks in its own transaction is safe from that, see
 * {@link PresentedToken#checkIn}. Refusals that the handler throws become 409 here as well. Blocks as the guard does. Safe for use by many
 * threads.
 */
public final class TokenFilter implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFilter.class);

    /** Of RFC 9110. Names of methods are case-sensitive. */
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private static final AtomicLong FILTERS = new AtomicLong();

    private final TokenRules rules;

    /** Marks a request that this filter has let through: it comes again when it is dispatched again. */
    private final String passed = TokenFilter.class.getName() + "." + FILTERS.incrementAndGet();

    private TokenFilter(TokenRules rules) {
        this.rules = rules;
    }

    /** A filter that announces each token at the guard before the handler runs. */
    public static Builder announcingAt(TokenGuard guard) {
        return new Builder(Objects.requireNonNull(guard, "guard"));
    }

    /**
     * A filter that reads the token and leaves the check to the handler, with {@link PresentedToken#checkIn}. <b>A handler that
     * does not check is not guarded.</b>
     */
    public static Builder checkedByHandlers() {
        return new Builder(null);
    }

    /**
     * Adds the filter to an application that is starting: after the filters that are there, for requests and for what
     * asynchronous handlers dispatch.
     *
     * @throws IllegalStateException if the application has started, or has a filter of this name
     */
    public void addTo(ServletContext context, String... urlPatterns) {
        FilterRegistration.@Nullable Dynamic registration = context.addFilter("holdfastTokenFilter", this);
        if (registration == null) {
            throw new IllegalStateException("This application has a filter named holdfastTokenFilter already. Name all"
                    + " patterns in one call, or register the second filter under a name of its own.");
        }
        registration.setAsyncSupported(true);
        EnumSet<DispatcherType> types = EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.addMappingForUrlPatterns(types, true, urlPatterns);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            throw new ServletException("TokenFilter guards HTTP requests only");
        }
        if (http.getAttribute(passed) == null) {
            Optional<Problem> refusal = admit(http, answer);
            if (refusal.isPresent()) {
                refusal.get().send(answer);
                return;
            }
            http.setAttribute(passed, true);
        }
        handle(http, answer, chain);
    }

    /** Empty if the handler may run. */
    private Optional<Problem> admit(HttpServletRequest request, HttpServletResponse response) {
        try {
            String resource = rules.resource(request.getRequestURI());
            if (resource == null) {
                return Optional.empty();
            }
            boolean safe = SAFE_METHODS.contains(request.getMethod());
            if (safe) {
                // A cache that answered a read would keep its token from the guard.
                response.addHeader("Vary", TokenHeader.NAME);
            }
            List<String> texts = Collections.list(request.getHeaders(TokenHeader.NAME));
            if (texts.isEmpty()) {
                return safe ? Optional.empty() : Optional.of(Problem.missing(rules.missingStatus()));
            }
            if (texts.size() > 1) {
                return Optional.of(Problem.malformed("There is more than one token. A request has one."));
            }
            TokenHeader presented = rules.read(texts.get(0));
            request.setAttribute(PresentedToken.ATTRIBUTE, new PresentedToken(resource, presented));
            return rules.guard() == null ? Optional.empty() : announce(rules.guard(), resource, presented);
        } catch (TokenRules.Refused e) {
            return Optional.of(e.problem());
        }
    }

    private Optional<Problem> announce(TokenGuard guard, String resource, TokenHeader presented) {
        try {
            guard.announce(resource, presented);
            return Optional.empty();
        } catch (Exception e) {
            Optional<Problem> refusal = Refusals.of(e, presented);
            if (refusal.isPresent()) {
                return refusal;
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.warn(
                    "The guard of HTTP resources cannot check a token; the request is refused with 503: {}",
                    Secrets.mask(e.toString()));
            LOG.debug("The guard of HTTP resources cannot check a token", Secrets.mask(e));
            return Optional.of(Problem.unavailable(rules.retryAfter()));
        }
    }

    private static void handle(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            Optional<Problem> refusal =
                    PresentedToken.find(request).flatMap(presented -> Refusals.of(e, presented.header()));
            if (refusal.isEmpty() || response.isCommitted()) {
                throw e;
            }
            refusal.get().send(response);
        }
    }

    /** Sets what differs from the defaults. Not safe for use by several threads. */
    public static final class Builder {
        private static final int BAD_REQUEST = 400;
        private static final int PRECONDITION_REQUIRED = 428;

        private final @Nullable TokenGuard guard;
        private UnaryOperator<String> resources = path -> path;
        private Predicate<String> except = path -> false;
        private int missingStatus = PRECONDITION_REQUIRED;
        private int upToGeneration;
        private @Nullable Duration ahead = Duration.ofMinutes(5);
        private Duration retryAfter = Duration.ofSeconds(5);
        private Clock clock = Clock.systemUTC();

        private Builder(@Nullable TokenGuard guard) {
            this.guard = guard;
        }

        /**
         * Names resources otherwise than by their {@linkplain ResourcePath path}: one name for all spellings that the handlers
         * take for one thing. An {@link IllegalArgumentException} refuses the path with 400, and its message goes to the client.
         */
        public Builder resources(UnaryOperator<String> naming) {
            resources = Objects.requireNonNull(naming, "naming");
            return this;
        }

        /** Paths that need no token although the filter covers them, such as that of a collection to which clients add. */
        public Builder except(Predicate<String> unguarded) {
            except = Objects.requireNonNull(unguarded, "unguarded");
            return this;
        }

        /** What a request gets that writes and has no token: 428, which is the default, or 400. */
        public Builder missingStatus(int status) {
            if (status != BAD_REQUEST && status != PRECONDITION_REQUIRED) {
                throw new IllegalArgumentException("A missing token is answered with 400 or 428, not " + status);
            }
            missingStatus = status;
            return this;
        }

        /**
         * The latest generation that clients may present; 0 by default. Set it before guards are moved there. A bound, because
         * a resource that was never guarded takes the generation of its first token.
         */
        public Builder upToGeneration(int generation) {
            if (generation < 0) {
                throw new IllegalArgumentException("A generation is 0 or more, not " + generation);
            }
            upToGeneration = generation;
            return this;
        }

        /**
         * How far a token may be ahead of this server's clock, read as microseconds since 1970; five minutes by default. Such are
         * the tokens of Redis and SQL; those of other stores are smaller. A forged token closes a resource for so long at most.
         */
        public Builder tokensAhead(Duration most) {
            if (most.isNegative()) {
                throw new IllegalArgumentException("Tokens cannot be required to be behind the clock: " + most);
            }
            ahead = most;
            return this;
        }

        /** Accepts tokens however large: for a store whose tokens have nothing to do with the clock and outgrew it. */
        public Builder tokensOfAnySize() {
            ahead = null;
            return this;
        }

        /** What clients are told when the guard cannot be asked: five seconds by default, whole seconds. */
        public Builder retryAfter(Duration delay) {
            if (delay.toSeconds() < 1) {
                throw new IllegalArgumentException("Retry-After is a second or more, not " + delay);
            }
            retryAfter = delay;
            return this;
        }

        Builder clock(Clock other) {
            clock = other;
            return this;
        }

        /** The filter; it can be registered once or several times. */
        public TokenFilter build() {
            return new TokenFilter(
                    new TokenRules(guard, resources, except, missingStatus, upToGeneration, ahead, retryAfter, clock));
        }
    }
}
