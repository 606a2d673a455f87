/**
 * The processes and the network of a trial. {@code StoreServers} are the servers of a store, {@code
 * ReplicatedServers} those that fail over, {@code DiskLauncher} lets their disks be slow, {@code Network} the way there, which can be
 * cut and slowed for each client, {@code ClientProcess} a client in a JVM of its own, {@code Resource} what the lock protects, {@code
 * StallWatch} how long the machine stood still.
 */
@NullMarked
package dev.holdfast.proving.machine;

import org.jspecify.annotations.NullMarked;
