/**
 * A Redis server over Lettuce. Not exported. Uses {@code node} and {@code cluster}. Nothing outside of this package talks to
 * Lettuce, but for the types that users hand us.
 *
 * <ul>
 *   <li>{@code LettuceConnect} makes the first connection to a {@code RedisAddress}: one server, sentinels or a cluster. {@code
 *       LettuceClients} makes nodes, with the options and threads that they need; {@code LettuceCluster} makes those of a cluster. {@code
 *       ServerUrl}, {@code ClientCertificate} and {@code MaintenanceNotifications} help them.
 *   <li>{@code LettuceNode} is the node: sends requests, and turns failures into what {@code Errors} makes of them. Read this one
 *       first.
 *   <li>{@code ConnectionOpener} opens the connection for commands and asks who answers, {@code InboxOpener} that of the inbox ({@code
 *       LettuceInbox}), with {@code Subscriber}; {@code NewConnection} notices that one breaks meanwhile, {@code Refusals} says why they
 *       could not; {@code LettuceLink} keeps each of them alive; {@code ConnectionMark} tells one from all others.
 *   <li>{@code MasterFinder} says where each of them leads: it asks sentinels if there are any. {@code SentinelWatch} hears from them that
 *       another server is the master; {@code NamedMasters} weighs what each of them says.
 *   <li>{@code Request} is a command as Lettuce handles it: a {@code Call} or a {@code Frame} goes out, a {@code Reply} comes in.
 *       {@code RequestTimeouts} keeps its time.
 *   <li>{@code ConfirmedClaims}: claims whose grants wait for replicas. {@code AskingWriter}: requests for a slot that is moving.
 *   <li>{@code CoalescingWriter} writes what is asked of several servers in one turn of the I/O thread; {@code BatchedRequest}
 *       sends a batch as one request.
 * </ul>
 */
@NullMarked
package dev.holdfast.redis.lettuce;

import org.jspecify.annotations.NullMarked;
