/** The lab: {@link dev.holdfast.lab.Lab} starts it. docs/lab.md says what there is to see. */
@NullMarked
package dev.holdfast.lab;

import org.jspecify.annotations.NullMarked;
