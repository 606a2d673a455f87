/**
 * Plays bad days: the real engine, the real Redis backends and the shipped Lua over a network, clocks, processes and servers
 * that one seed decides. {@code docs/simulation.md} says what is played and what is checked.
 *
 * <p>Where to read what:
 *
 * <ul>
 *   <li><em>To run it.</em> {@link dev.holdfast.simulation.Simulate} is the command line, {@link
 *       dev.holdfast.simulation.Campaign} plays many seeds, {@link dev.holdfast.simulation.Hunt} looks for a planted bug. {@code
 *       Trace} keeps what happened, {@code Drawing} makes a picture of it, {@code Log} takes what the product logs.
 *   <li><em>A world.</em> Start with {@code World}: it takes one event after the other from {@code EventQueue}. {@code Plan} is
 *       drawn from the seed, {@code Faults} lets things go wrong.
 *   <li><em>Processes.</em> {@code Client} is a process with its clock, {@code Worker} a thread of it that asks for locks, {@code
 *       Resource} what the workers write to. {@code EngineView} looks into the engine.
 *   <li><em>Network and servers.</em> {@code SimulatedNode} is what a backend talks to, with {@code Requests}, {@code BatchWriter}
 *       and {@code ConnectionOpener}; {@code Route} carries it to a {@code Server}, which runs the scripts in {@code LuaMachine} over {@code
 *       RedisMemory}. {@code SimulatedBackends} makes the backends.
 *   <li><em>What must hold.</em> {@code Checks} for leases and tokens, {@code ServerChecks} for each step of a server, {@code
 *       WaitingChecks} for waiters and what is left behind, {@code EndingChecks} for how leases end.
 * </ul>
 */
@NullMarked
package dev.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
