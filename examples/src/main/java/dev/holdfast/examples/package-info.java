/** The snippets of the README ({@link dev.holdfast.examples.Snippets}). */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
