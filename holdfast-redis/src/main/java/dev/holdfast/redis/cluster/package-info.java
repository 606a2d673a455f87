/**
 * Redis Cluster: which server keeps which lock, and what to do when that changes. Not exported. Knows nothing of Lettuce.
 *
 * <ul>
 *   <li>{@link dev.holdfast.redis.cluster.ClusterTopology}: the servers, and the map of slots. Read this one first.
 *   <li>{@code Redirects}: takes a request to the server that has its slot, and follows MOVED, ASK and TRYAGAIN.
 *   <li>{@code Discovery}: asks for the map; {@code SlotMap} is the map; {@code Slots} says which slot a key has.
 *   <li>{@code ClusterServer}: one server; made by a {@link dev.holdfast.redis.node.ClusterConnections}.
 *   <li>{@code ClusterFindings}: what there is to say about the cluster as a whole.
 * </ul>
 */
@NullMarked
package dev.holdfast.redis.cluster;

import org.jspecify.annotations.NullMarked;
