/**
 * The proving ground: every lock library under the same faults, on real servers, with the same checks. Start with {@code Prove}, the
 * program, and {@code Trial}, one fault on one store. The rooms: {@code subject} has an adapter for each library, {@code client} the
 * process that uses it, {@code machine} the servers and the network, {@code fault} what is done to them, {@code schedule} what a seed
 * decides, {@code log} what is written down, {@code check} what is concluded from it, {@code report} what is shown.
 */
@NullMarked
package dev.holdfast.proving;

import org.jspecify.annotations.NullMarked;
