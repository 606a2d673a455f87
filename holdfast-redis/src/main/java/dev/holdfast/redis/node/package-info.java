/**
 * One Redis server, as both protocols see it. Not exported. Knows nothing of Lettuce, and nothing of a quorum but its scripts and
 * keys.
 *
 * <ul>
 *   <li>{@link dev.holdfast.redis.node.RedisNode}: the seam. Below it is a client library or a simulator, above it are the protocols.
 *       Read this one first.
 *   <li>{@link dev.holdfast.redis.node.Topology}: which server keeps a name; {@link dev.holdfast.redis.node.SingleServer}: one for all. {@link
 *       dev.holdfast.redis.node.ScriptRunner} is what a request sees of a server, {@link dev.holdfast.redis.node.Groups} what may be asked in
 *       one request, {@link dev.holdfast.redis.node.RedirectException} where a cluster sends us. {@link
 *       dev.holdfast.redis.node.ClusterConnections} and {@link dev.holdfast.redis.node.Subscription}: how a cluster is connected.
 *   <li>{@link dev.holdfast.redis.node.Confirmation}: which replicas or disks a grant waits for.
 *   <li>{@link dev.holdfast.redis.node.Script}: the operations at the server, each a Lua file; {@link
 *       dev.holdfast.redis.node.Replies}: what they answer.
 *   <li>{@link dev.holdfast.redis.node.Keys} and {@link dev.holdfast.redis.node.Wire}: what keys are called and what stands in them;
 *       {@link dev.holdfast.redis.node.HolderTexts}: who holds it.
 *   <li>{@link dev.holdfast.redis.node.Errors}: where an error of Redis becomes an exception that says what it proves.
 *   <li>{@link dev.holdfast.redis.node.ServerClock}, {@link dev.holdfast.redis.node.ServerClocks}: what can be said of a server's clock. {@link
 *       dev.holdfast.redis.node.HandOverWatch}: whether a waiter that was given the lock has claimed it.
 *   <li>{@link dev.holdfast.redis.node.RequestBatch}: several votes in one request.
 *   <li>{@link dev.holdfast.redis.node.Listing} and {@link dev.holdfast.redis.node.Diagnosis}, with {@link
 *       dev.holdfast.redis.node.ServerInfo}, {@link dev.holdfast.redis.node.MemoryPolicy} and {@code OtherVersions}: for whoever looks.
 * </ul>
 */
@NullMarked
package dev.holdfast.redis.node;

import org.jspecify.annotations.NullMarked;
