/**
 * Many independent servers, of which a majority decides (Redlock). Not exported. {@code docs/redlock.md} says what is promised and
 * why it holds.
 *
 * <p>{@code QuorumClient} puts everything together and is what {@code RedlockBackend} calls. Read it first, then:
 *
 * <ul>
 *   <li><b>Acquiring.</b> {@code QuorumClaims} turns claims into rounds; {@code Round} asks all nodes, {@code RoundAnswers} keeps what
 *       they said; {@code Ballot} counts the votes and decides, knowing neither node nor time. {@code QuorumAnswers} makes an answer of what
 *       came of it, and computes for how long a grant is valid; {@code Disputes} counts rounds that rivals have spoilt.
 *   <li><b>Semaphores.</b> {@code SlotClaims} asks for one slot at a time, a lock with a name from {@code SlotNames}; {@code FreeSlots} looks
 *       for one where the home cannot say.
 *   <li><b>Holding.</b> {@code QuorumTenures} renews and releases. {@code Withdrawals} takes back votes that nobody uses.
 *   <li><b>Waiting.</b> {@code Places} are the claims that stand in line; a waiter is woken in {@code Places.turn}. {@code
 *       PlaceCheck} looks after them; {@code LockSight} is what it sees.
 *   <li><b>One node.</b> {@code Member} is a node as this client sees it; {@code Members} are all of them; {@code Quorum} has the
 *       requests to one node; {@code QuorumReplies} are the answers; {@code Gather} asks all nodes the same.
 *   <li><b>Who votes.</b> {@code Admissions} watches nodes that do not vote; {@code Readmission} decides when they may; {@code
 *       AdmissionRequests} are what they ask; {@code AdmissionRecord} is what a node keeps; {@code MaxLeaseRecord} tells it how long a
 *       lock may be taken; {@code MemoryWatch} and {@code ClockWatch} take votes that are worth nothing.
 *       {@code Unadmitted} is a node's answer that it does not vote.
 *   <li><b>The list of servers.</b> {@code ServerList}, {@code ListBinding}, {@code RedlockUrl}; {@code QuorumConnect} and {@code
 *       QuorumSetup} for operators who begin or change one.
 *   <li><b>Looking.</b> {@code QuorumView} and {@code QuorumDiagnosis}.
 * </ul>
 */
@NullMarked
package dev.holdfast.redis.quorum;

import org.jspecify.annotations.NullMarked;
