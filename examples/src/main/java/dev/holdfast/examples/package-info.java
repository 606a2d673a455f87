/** The snippets of the README ({@link dev.holdfast.examples.Snippets}) and the demo. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
