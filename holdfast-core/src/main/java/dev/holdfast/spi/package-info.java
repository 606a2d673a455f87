/**
 * What authors of backends import. The conformance kit ({@code holdfast-tck}) says when a backend is right.
 *
 * <ul>
 *   <li><em>To implement.</em> {@link dev.holdfast.spi.LockBackend}. Read this one first: each of its methods is one step at the
 *       store. Core calls it.
 *   <li><em>What goes in and out.</em> A {@link dev.holdfast.spi.Claim} under an {@link dev.holdfast.spi.Owner} is answered by an
 *       {@link dev.holdfast.spi.Answer}, which may have a {@link dev.holdfast.spi.Grant}; a {@link dev.holdfast.spi.Holding} is
 *       renewed ({@link dev.holdfast.spi.Renewal}) and released. {@link dev.holdfast.spi.Validity} computes for how long a grant may
 *       be trusted.
 *   <li><em>How a step fails.</em> {@link dev.holdfast.spi.NotSentException}, {@link dev.holdfast.spi.RefusedException} and {@link
 *       dev.holdfast.spi.ReleasedButClaimFailedException} prove something; any other failure means that nobody knows. {@link
 *       dev.holdfast.spi.Failures} describes failures, {@link dev.holdfast.spi.Secrets} removes passwords from texts.
 *   <li><em>To call.</em> {@link dev.holdfast.spi.Events}: what a backend tells core without being asked. {@link
 *       dev.holdfast.spi.Environment}: time, threads and random numbers. {@link dev.holdfast.spi.Withdrawal}: takes something back,
 *       again and again until that is confirmed.
 * </ul>
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
