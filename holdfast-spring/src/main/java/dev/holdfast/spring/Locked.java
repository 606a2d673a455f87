package dev.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method only while a lock is held. Needs {@link EnableLocking} and a bean of type {@link dev.holdfast.Holdfast}.
 *
 * <pre>{@code
 * @Locked(name = "order", key = "#id", maxWait = "2s")
 * @Transactional
 * public void pay(long id) { ... }
 * }</pre>
 *
 * <p>The lock is outside the transaction: lock, begin, body, commit, unlock. On a class it covers all methods that are not
 * private, except {@code toString}, {@code equals} and {@code hashCode}. On a method it replaces what stands on the class. Repeat it to hold several locks: they are acquired in the order of
 * their names, whatever the order of the annotations, and given back in reverse. A lock that the calling thread already holds
 * through another {@code @Locked} method or a {@link LockTemplate} is joined, on the terms of the first.
 *
 * <p>A parameter of type {@link dev.holdfast.Lease} or {@link dev.holdfast.FencingToken} that the caller leaves null is filled
 * in. {@link LockedContext#current} has them too.
 *
 * <p>Calls from within the same object do not go through the proxy, and are not locked: use {@link LockTemplate} there.
 *
 * <p>Besides what the method throws: {@link dev.holdfast.LockTimeoutException} if the lock was busy, {@link
 * dev.holdfast.LockUnavailableException} if the store could not be reached (in both cases the method did not run), and {@link
 * dev.holdfast.LeaseLostException} if the lease ended before the method did. Interrupted while it waits for the lock, it throws
 * {@code InterruptedException} if the method declares that; otherwise it sets the interrupt again and throws {@link
 * java.util.concurrent.CancellationException}. The method did not run.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(Locked.Several.class)
public @interface Locked {
    /** The same as {@link #name}. */
    @AliasFor("name")
    String value() default "";

    /** The name of the lock, or what stands before the key. Taken literally, except for <code>${...}</code>. */
    @AliasFor("value")
    String name() default "";

    /**
     * An expression (SpEL) for what is locked; the lock is then {@code name:key}. It sees the parameters ({@code #id}, {@code
     * #order.id}, or by position {@code #p0}), beans ({@code @clock.today()}), and {@code method}, {@code target}, {@code
     * targetClass} and {@code args}. A key that is null or empty, or that has no text of its own, is refused at the call.
     */
    String key() default "";

    /**
     * How long to wait for the lock: {@code 500ms}, {@code 5s}, {@code 2m}, {@code PT5S}, {@code 0}, or <code>${...}</code>.
     * If empty: 10 seconds with {@link Busy#THROW}, otherwise not at all.
     */
    String maxWait() default "";

    /** How long the store keeps the lock if this process dies; if empty, as {@code Holdfast} was built. */
    String lease() default "";

    /** Keeps the lock taken for at least this long, also after the method has returned; for scheduled jobs. */
    String atLeast() default "";

    /** Ends the lease after this time, whether the method is done or not. */
    String atMost() default "";

    /** What to do if the lock stays busy. */
    Busy busy() default Busy.THROW;

    /**
     * The method to call with {@link Busy#FALLBACK}: of the same class, with the same parameters, or with these and a {@link
     * dev.holdfast.LockTimeoutException} after them. It is called on the object itself, so annotations on it do nothing.
     */
    String fallback() default "";

    /** What to do if the caller has begun a transaction. Must be the same for all locks of a method. */
    CallersTransaction transaction() default CallersTransaction.HOLD;

    /**
     * Guards the method's transaction by the token of the lock. The transaction begins here, whether the method has
     * {@code @Transactional} or not; its first statement announces the token to {@link dev.holdfast.jdbc.SqlFence}, under the
     * name of the lock, and the database refuses a holder whose lease has ended with {@link dev.holdfast.StaleTokenException}.
     * Needs holdfast-jdbc, spring-jdbc, and the guard's table. Called within a transaction, the method throws {@code
     * IllegalTransactionStateException}: the announcement would not come first. Must be the same for all locks of a method.
     */
    boolean fenced() default false;

    /** Several {@link Locked}. */
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface Several {
        Locked[] value();
    }
}
