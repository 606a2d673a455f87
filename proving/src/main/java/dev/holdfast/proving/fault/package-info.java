/** What is done to servers, clients and the network. {@code Fault} is one of them, {@code Faults} lists them all. */
@NullMarked
package dev.holdfast.proving.fault;

import org.jspecify.annotations.NullMarked;
