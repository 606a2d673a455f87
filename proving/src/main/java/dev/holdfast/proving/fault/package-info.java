/**
 * What is done to servers, clients and the network. {@code Fault} is one of them, {@code Faults} lists them all, {@code Episode}
 * is what happens at once in a trial.
 */
@NullMarked
package dev.holdfast.proving.fault;

import org.jspecify.annotations.NullMarked;
