/**
 * The token of a lease in an HTTP request. Start with {@link dev.holdfast.http.HoldfastHeaders}, which adds it to a request of
 * {@code java.net.http}; {@link dev.holdfast.http.TokenHeader} is the value itself, as text and back. This package needs
 * nothing but core.
 *
 * <p>{@code dev.holdfast.http.server} has the filter that refuses stale tokens, {@code dev.holdfast.http.spring} what
 * Spring's clients need. docs/http.md specifies the header.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
