/**
 * What users import. Start with {@link dev.holdfast.Holdfast}: it turns a backend into {@link
 * dev.holdfast.DistributedLock locks}, and a lock into a {@link dev.holdfast.Lease}.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
