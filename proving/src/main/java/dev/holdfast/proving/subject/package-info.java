/**
 * An adapter for each library that takes part. {@code Subject} says what it is and how it is set up, {@code LockClient} and {@code
 * HeldLock} are what the client needs of it, {@code Subjects} lists them all. Adapters use the public API of their library, set up as its
 * documents recommend; what all have in common is the length of the lease.
 */
@NullMarked
package dev.holdfast.proving.subject;

import org.jspecify.annotations.NullMarked;
