/**
 * Locks by annotation in Spring applications. Start with {@link dev.holdfast.spring.Locked} and {@link
 * dev.holdfast.spring.EnableLocking}; {@link dev.holdfast.spring.LockTemplate} does the same without a proxy, and {@link
 * dev.holdfast.spring.LockedContext} gives the lease to code below.
 *
 * <p>For readers of the code, all of it package-private. {@code LockingRegistrar} registers the beans. {@code LockedAdvisor}
 * finds annotated methods with {@code LockedAnnotations} and puts {@code LockedInterceptor} around them. {@code LockedMethods}
 * reads a method once into a {@code LockedMethod}: what to lock ({@code LockDeclaration}, {@code LockKey}), what to do when it
 * is busy ({@code WhenBusy}), and every mistake it finds ({@code Problems}, thrown as one {@link
 * dev.holdfast.spring.LockedUsageException}). {@code LockedChecker} does this for all beans when
 * the application starts.
 *
 * <p>{@code LockRunner} is the path of a call, for the interceptor and the template: acquire in order ({@code HeldLocks}), run,
 * check, give back in reverse; {@code ReactiveRunner} is the same for publishers, and for Kotlin's functions ({@code Suspending}), which
 * Spring shows as such. A {@code HeldLock} counts its users, because a call below may join it and a transaction may need it
 * for longer than the call. {@code FencedTransaction} is the transaction of a fenced method; {@code FencedTransactions} finds out at
 * the start whether there can be one, and asks each {@link dev.holdfast.spring.FencedDataSourceCheck}. {@code TransactionLocks} holds locks until the caller's transaction completes; {@code CommitCheck}
 * stops a commit whose lease was lost.
 */
@NullMarked
package dev.holdfast.spring;

import org.jspecify.annotations.NullMarked;
