/** {@code ./bench}: locks side by side, in one run on the same servers. */
@NullMarked
package dev.holdfast.benchmarks.sidebyside;

import org.jspecify.annotations.NullMarked;
