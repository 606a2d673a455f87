/**
 * The token of a lease in requests of Spring's clients. {@link dev.holdfast.http.spring.LeaseInterceptor} is for
 * {@code RestClient} and {@code RestTemplate}, {@link dev.holdfast.http.spring.LeaseExchangeFilter} for {@code WebClient}. Both find the lease in an
 * attribute of the request, which {@link dev.holdfast.http.spring.LeaseAttribute} sets.
 */
@NullMarked
package dev.holdfast.http.spring;

import org.jspecify.annotations.NullMarked;
