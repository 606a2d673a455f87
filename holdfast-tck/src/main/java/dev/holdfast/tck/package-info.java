/**
 * The conformance kit. Start with {@link dev.holdfast.tck.LockBackendContract}: subclass it, and the backend is tested. A
 * resource that checks tokens subclasses {@link dev.holdfast.tck.FenceContract}, and says with a {@link
 * dev.holdfast.tck.GuardedNumber} how it is read and written.
 *
 * <p>For readers of the code. {@code LockBackendContract} consists of one interface for each subject: {@code ExclusionContract},
 * {@code ExpiryContract}, {@code RenewalContract}, {@code TokenContract}, {@code QueueContract}, {@code WithdrawContract}, {@code
 * ResendContract}, {@code MinimumHoldContract}, {@code NameContract}, {@code InspectionContract}, {@code CapabilityContract}, {@code
 * ClosingContract}, {@code UserContract}, {@code CopiedProcessContract} and {@code ProcessContract}. Locks of several names and
 * elections: {@code MultiLockContract}, {@code ElectionContract}. Semaphores and read-write locks, step by step, in line, and as
 * users meet them: {@code KindContract}, {@code SemaphoreContract}, {@code SemaphoreQueueContract}, {@code SemaphoreUserContract},
 * {@code PermitProcessContract}, {@code ReadWriteLockContract}, {@code ReadWriteQueueContract}, {@code ReadWriteUserContract}.
 *
 * <ul>
 *   <li>Each test gets a {@code Bench} ({@code OnBench}, {@code BenchParameter}), which makes clients and waits for conditions. A
 *       {@code Client} sends one request at a time, in {@code RealTime}; {@code SameNumbers} stands for a copied process, {@code
 *       Stalls} says for how long the machine stood still.
 *   <li>Processes that are killed: {@link dev.holdfast.tck.OtherProcess} says how one reaches the store, through a {@link
 *       dev.holdfast.tck.ClientFactory}; {@code ChildProcess} starts a {@code LockTakingProcess} or a {@code PermitTakingProcess}
 *       in a JVM of its own ({@link dev.holdfast.tck.OtherJvm}).
 * </ul>
 */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
