/**
 * The console in the browser. Start with {@link dev.holdfast.dashboard.Dashboard}.
 *
 * <p>For readers of the code, all of it package-private. {@code StorePoll} is the one thread that asks the store, and only while a
 * browser listens. What it finds goes to the {@code LockBoard}, which tells the browsers what has changed and keeps the {@code
 * History} of each name. {@code StoreReport} is the page about the store, {@code BreakAction} ends a tenure that the board has shown,
 * and {@code AuditLog} records it. {@code ConsoleSite} puts them under paths. The server below is in {@link
 * dev.holdfast.dashboard.web}; the page itself is in the resources, as it is sent.
 */
@NullMarked
package dev.holdfast.dashboard;

import org.jspecify.annotations.NullMarked;
