/** The conformance kit. Start with {@link dev.holdfast.tck.LockBackendContract}: subclass it, and the backend is tested. */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
