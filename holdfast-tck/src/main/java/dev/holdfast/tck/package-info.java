/**
 * The conformance kit. Start with {@link dev.holdfast.tck.LockBackendContract}: subclass it, and the backend is tested. A
 * resource that checks tokens subclasses {@link dev.holdfast.tck.FenceContract}.
 */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
