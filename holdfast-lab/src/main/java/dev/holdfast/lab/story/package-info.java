/**
 * The stories, and who plays them. A {@code Story} says what to do and what must come of it; {@code Scene} is what it has at hand;
 * {@code Director} plays one at a time and lets visitors do things in between.
 */
@NullMarked
package dev.holdfast.lab.story;

import org.jspecify.annotations.NullMarked;
