/**
 * What users import, and the engine behind it. Start with {@link dev.holdfast.Holdfast}: it turns a backend into {@link
 * dev.holdfast.DistributedLock locks}, and a lock into a {@link dev.holdfast.Lease}. What happens to locks is heard by a {@link
 * dev.holdfast.LockListener}; everything thrown is a {@link dev.holdfast.HoldfastException}. Made of locks: {@link
 * dev.holdfast.MultiLock} for several names, {@link dev.holdfast.LeaderElection} for one leader.
 *
 * <p>For readers of the code, all of it package-private. {@code DistributedLock} makes a {@code Waiter} ({@code ParkedWaiter}
 * for a thread, {@code FutureWaiter} for a future) and hands it to the {@code Engine}. The engine keeps one {@code NameQueue} for
 * each name: a state machine that decides, with the waiters, at most one {@code LocalClaim} (a request for the lock) and at most
 * one {@code Tenure} (what the process holds). It returns an {@code Effect}, which the engine performs after the name's lock is
 * free: {@code Renewals} sends renewals, {@code Releases} ends tenures, {@code Withdrawals} takes claims back, {@code Reports} tells
 * the listener and the log, {@code Timers} sets the alarms; {@code BackendCalls} calls the backend so that no failure is lost. A
 * {@code TenureLease} is the lease that a user holds, {@code Terms} are the options it was asked for with, {@code Refusal} is why
 * there is none. Threads wait in {@code Blocking}. {@code UserCode} runs callbacks, on threads of a {@code WorkerPool} or the {@code
 * SpareThread}; {@code SystemEnvironment} has the real clock and threads.
 *
 * <ul>
 *   <li>Several names are taken by a {@code MultiAttempt}, for a thread ({@code MultiWait}) or a future ({@code MultiFuture}).
 *   <li>A candidate of an election is an {@code ElectionState}; its task runs on a {@code LeaderThread}.
 *   <li>A waiter is woken in {@code ParkedWaiter.settleWith}; the step that decides it is {@code NameQueue.deliverToHead}.
 *   <li>A lease is renewed from {@code NameQueue.tenureDue}; when, is planned in {@code Tenure.planRenewal}.
 *   <li>Validity is computed in {@link dev.holdfast.spi.Validity} and read in {@code TenureLease.remainingNanos}.
 * </ul>
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
