/**
 * What is concluded from the logs alone. Start with {@code Checker}. {@code History} turns events into holds, attempts and stalls;
 * each rule has a class that looks at it. A rule that accuses somebody of lateness takes off the time in which the machine, or that
 * process, measurably stood still.
 */
@NullMarked
package dev.holdfast.proving.check;

import org.jspecify.annotations.NullMarked;
