/**
 * The program of a client process: {@code ClientMain} takes orders from its standard input, {@code Worker} asks for the lock over and over,
 * works under it and writes down what the library said.
 */
@NullMarked
package dev.holdfast.proving.client;

import org.jspecify.annotations.NullMarked;
