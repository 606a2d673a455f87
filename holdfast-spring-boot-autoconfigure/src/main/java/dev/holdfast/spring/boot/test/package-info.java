/** For tests of applications. Start with {@link dev.holdfast.spring.boot.test.HoldfastTest}. */
@NullMarked
package dev.holdfast.spring.boot.test;

import org.jspecify.annotations.NullMarked;
