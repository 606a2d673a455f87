/** A store with its servers and everybody who locks in it: {@code Ground}, with a {@code Contestant} for each subject. */
@NullMarked
package dev.holdfast.proving.ground;

import org.jspecify.annotations.NullMarked;
