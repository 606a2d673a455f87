/**
 * How a waiter is told that a lock was handed to it. Read {@link dev.holdfast.jdbc.wakeup.Inbox} first. {@code
 * ListeningConnection} receives the notifications of PostgreSQL, {@code LoopbackInbox} the datagrams of processes that share a
 * SQLite file. Both tell core that a name may be free; core asks.
 */
@NullMarked
package dev.holdfast.jdbc.wakeup;

import org.jspecify.annotations.NullMarked;
