/** Fencing and optimistic locking with JPA: {@link dev.holdfast.examples.jpa.FencedAccount}. */
@NullMarked
package dev.holdfast.examples.jpa;

import org.jspecify.annotations.NullMarked;
