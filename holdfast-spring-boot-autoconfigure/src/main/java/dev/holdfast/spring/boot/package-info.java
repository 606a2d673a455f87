/**
 * Holdfast in Spring Boot applications, for Boot 3.5 and 4 alike. What users meet are the properties under {@code holdfast}, a bean of
 * type {@link dev.holdfast.Holdfast}, and {@link dev.holdfast.spring.boot.HoldfastCustomizer}.
 *
 * <p>For readers of the code. {@code HoldfastAutoConfiguration} comes first: a {@code BackendCandidate} for each store that the
 * application has a client for, {@code BackendSelection} makes a {@code BackendChoice} of them, and the {@code Holdfast} is built over
 * it. {@code RedisBackends}, {@code JdbcBackends}, {@code ZooKeeperBackends} turn a client of the application into a backend, {@code
 * UrlBackends} a URL; each is loaded only if its module is there. {@code Setting} hands properties to builders, whose checks are the
 * only ones. {@code HoldfastLifecycle} closes it at the right moment. Everything that stops the start is a {@link
 * dev.holdfast.spring.boot.HoldfastStartupException}, which {@code HoldfastFailureAnalyzer} prints ({@code
 * LockedUsageFailureAnalyzer} does the same for methods where {@code @Locked} cannot work); {@code LockTablesCheck} and {@code
 * GuardTablesCheck} look for missing tables.
 *
 * <p>Around it, each where the application has what it needs: {@code LockingAutoConfiguration} ({@code @Locked}), {@code
 * LocksEndpointAutoConfiguration}, {@code HoldfastMetricsAutoConfiguration}, {@code LockRegistryAutoConfiguration}. {@link
 * dev.holdfast.spring.boot.HoldfastHealth} and {@link dev.holdfast.spring.boot.StarterCheck} are for the starters, which have only what
 * differs between Boot 3 and 4.
 */
@NullMarked
package dev.holdfast.spring.boot;

import org.jspecify.annotations.NullMarked;
