/** The command {@code holdfast}. Start with {@link dev.holdfast.cli.Main}. */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
