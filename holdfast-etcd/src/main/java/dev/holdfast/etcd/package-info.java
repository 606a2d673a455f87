/**
 * Locks in etcd. Users need {@link dev.holdfast.etcd.EtcdBackend} and nothing else; the other classes are package-private. {@code
 * docs/etcd.md} says what is promised and why.
 *
 * <p>Where to read what:
 *
 * <ul>
 *   <li><em>Configuration.</em> {@code EtcdBackend.Builder} makes {@code Settings}, from a {@code Url}, with {@code Tls}. {@code
 *       Components} puts a backend together, and ends it.
 *   <li><em>The connection.</em> {@code Members} knows which member is asked. {@code Client} sends requests with one answer and has
 *       the token of the user; {@code KeepAlives} and {@code Watches} have a stream each ({@code BidiStream}). The token and the
 *       streams are {@code Shared}. {@code Errors} turns an error into an exception for core. {@code PlainSockets}, {@code
 *       TlsSockets} and {@code TlsSocket} are there for {@code ServerFrames}, which mends what gRPC's transport cannot bear. {@code
 *       Transactions} lets requests travel together.
 *   <li><em>Leases at the servers.</em> {@code ServerLeases} grants them and keeps them alive: <em>validity is proven there</em>,
 *       for each {@code ServerLease}.
 *   <li><em>A claim.</em> Start with {@code ClaimQueue}: it enters, looks, releases and withdraws; <em>waiters are woken there</em>.
 *       {@code Slots} tells which slot of a semaphore it can have. {@code Requests} has the transactions, {@code Keys} and {@code ClaimData} what is stored, {@code Places} the claims of this
 *       process ({@code Place}).
 *   <li><em>What is held.</em> {@code Renewals} <em>renews</em>; {@code LeaseEnds} ends what nobody renews; {@code Removals} removes
 *       keys.
 *   <li><em>Operators.</em> {@code Inspection} describes, lists and breaks locks, {@code Diagnosis} looks for mistakes.
 * </ul>
 *
 * <p>{@code dev.holdfast.etcd.rpc} is generated from {@code etcd.proto}.
 */
@NullMarked
package dev.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
