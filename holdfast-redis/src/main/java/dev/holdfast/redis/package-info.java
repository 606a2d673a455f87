/**
 * Locks in Redis: on one server, and on a quorum of several. Start with {@link dev.holdfast.redis.RedisBackend} or {@link
 * dev.holdfast.redis.RedlockBackend}; {@link dev.holdfast.redis.RedisFence} guards data in Redis by token.
 *
 * <p>For those who read the code. This package has the public entry points and the protocol of one server. Beside it are four
 * packages that the module does not export, each with a map of its own: {@code node} (one server as both protocols see it),
 * {@code cluster} (which server of a cluster keeps a name), {@code lettuce} (servers over Lettuce) and {@code quorum} (many servers that
 * vote). {@code quorum} and this one use {@code lettuce} and {@code node}, {@code lettuce} uses {@code cluster} and {@code node}, {@code
 * cluster} uses {@code node}, and {@code node} uses none of them.
 *
 * <p>The protocol of one server, in the order of a lock's life:
 *
 * <ul>
 *   <li>{@code RedisBackend}: what core calls. Renews leases ({@code renew}), releases, lists and breaks. Read this one first.
 *   <li>{@code Claims}: asks for a lock and reads the answer. Computes for how long a grant is valid.
 *   <li>{@code Inbox}: the claims that wait, and the grants that the server pushes. A waiter is woken in {@code Inbox.message}.
 *   <li>{@code QueuedClaimsCheck}: every few seconds, whether those claims still stand in their queues.
 *   <li>{@code RenewalRequests}: renews many leases by few requests. {@code ServerWatch}: what is kept for each server; {@code
 *       RedisGuarantees}: what is promised.
 *   <li>{@code EvictionWatch}: says when the server may remove held locks to make room.
 *   <li>{@code RequestContext}: what every request has in common. {@code MalformedMessages}: reports what nobody should have published.
 * </ul>
 *
 * <p>What happens at the server is in the Lua files beside this package, one for each operation.
 */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
