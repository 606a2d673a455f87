/**
 * Locks in ZooKeeper. Users need {@link dev.holdfast.zookeeper.ZooKeeperBackend} and nothing else; the other classes are
 * package-private. {@code docs/zookeeper.md} says what is promised and why.
 *
 * <p>Where to read what:
 *
 * <ul>
 *   <li><em>Configuration.</em> {@code ZooKeeperBackend.Builder} makes {@code Settings}, from an {@code Address} or a {@code
 *       Url}, with {@code Tls} and {@code Timing}. {@code Components} puts a backend together.
 *   <li><em>The connection.</em> {@code Connection} is Curator's framework. {@code HandleFactory} makes its handles, {@code
 *       SessionTracker} follows them: which {@code Session} there is, and whether a server is behind it. {@code
 *       ConnectionEvents} tells the others. Every request goes through {@code Session}, which notes the answers in {@code
 *       SessionProof}: <em>validity is computed there</em>. {@code Heartbeat} gives signs of life, {@code SessionGuard} finds
 *       copies of this process, {@code Errors} turns an error of the library into an exception for core.
 *   <li><em>A claim.</em> Start with {@code ClaimQueue}: it enters, releases and withdraws. {@code ClaimCreator} and {@code
 *       Nodes} send the requests, under the paths of {@code Paths}, with the text of {@code NodeData}. {@code Places} has the
 *       claims of this process ({@code Place}); {@code QueuedClaim} is anybody's claim as the servers list it. {@code
 *       TurnWatch} watches the claim in front: <em>waiters are woken there</em>. {@code Renumbering} begins a queue anew whose
 *       numbers are used up. {@code NewNodeAcl} says who may touch what is created.
 *   <li><em>A slot of a semaphore.</em> {@code SlotAttempt} takes one that nobody waits for, {@code SlotTurns} serves a claim in
 *       the queue. Both choose by a {@code SemaphoreView}, and take through {@code Slots}: <em>that nobody has two and no two have
 *       one is decided there</em>. {@code TakenSlot} is anybody's slot as the servers list it.
 *   <li><em>What is held.</em> {@code Renewals} <em>renews</em>, with {@code StillHeld} as its proof; {@code LeaseEnds} ends
 *       what nobody renews; {@code Shutdown} ends the backend.
 *   <li><em>Operators.</em> {@code Inspection} describes, lists and breaks locks, {@code Diagnosis} looks for mistakes.
 * </ul>
 */
@NullMarked
package dev.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
