/**
 * What is shown of a run: {@code Table} on the terminal, {@code Json} for programs, {@code Page} for people, with a {@code Timeline} for each
 * violation. An {@code Outcome} is what became of one subject in one trial, {@code Results} are all of a run.
 */
@NullMarked
package dev.holdfast.proving.report;

import org.jspecify.annotations.NullMarked;
