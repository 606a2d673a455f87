/**
 * {@code ./bench}: locks side by side, in one run on the same servers.
 *
 * <p>Read {@code Bench} first: it runs the {@code Workloads} round by round, lets their peers take turns, and writes a {@code
 * Report}.
 *
 * <ul>
 *   <li><em>Who takes part.</em> A {@code Peer} is a lock library, as a {@code Client} for each process; {@code Peers} has them all.
 *       {@code HoldfastPeer} and {@code HoldfastQuorumPeer} are ours. {@code FloorPeer} and {@code QuorumFloorPeer} are the least
 *       that a lock can cost, {@code ScriptsAlone} (with {@code ScriptRequests}) the most that our scripts allow. {@code
 *       RedissonPeer}, {@code RedissonRedLockPeer} and {@code SpringPeer} are other libraries.
 *   <li><em>What they do.</em> A {@code Workload}: {@code Threads} of one process, {@code InFlight} requests without threads, {@code
 *       Processes} ({@code Worker}, {@code Shift}), many leases ({@code Held}), a {@code Quorum}, another store ({@code OnStore},
 *       {@code Store}). Permits and readers are {@code Sharing} (with {@code SharingPeer} and {@code
 *       SharingClient}), leaders are {@code Succession}. {@code Names} says which lock is wanted next, {@code Load} runs the threads, {@code Connections} keeps the
 *       clients.
 *   <li><em>What is measured.</em> {@code Meter} and {@code Requests} ask the {@code Servers}, {@code Waits} has the times; each
 *       figure is a {@code Metric}, {@code Results} has them round by round.
 *   <li><em>What is written.</em> {@code Report}, with {@code Goals}, {@code Chart}, {@code Sentence}, {@code Figures} and {@code
 *       Machine}.
 *   <li><em>This build and an earlier one.</em> {@code BeforeAndAfter} lets both take turns; {@code EarlierJars} loads the earlier
 *       one.
 * </ul>
 */
@NullMarked
package dev.holdfast.benchmarks.sidebyside;

import org.jspecify.annotations.NullMarked;
