/** Serving a page to browsers: {@link dev.holdfast.cli.serve.ListenOptions} says where, and to whom. */
@NullMarked
package dev.holdfast.cli.serve;

import org.jspecify.annotations.NullMarked;
