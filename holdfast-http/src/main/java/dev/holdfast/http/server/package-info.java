/**
 * The guard in front of HTTP resources. Start with {@link dev.holdfast.http.server.TokenFilter}: it reads the header, names the
 * resource by its path ({@link dev.holdfast.http.server.ResourcePath}) and asks a {@link dev.holdfast.http.server.TokenGuard},
 * one each for SQL, Redis and memory. The handler finds what was presented in
 * {@link dev.holdfast.http.server.PresentedToken}, and can check it in its own transaction. {@code Problem} is a refusal, and
 * {@code Refusals} makes one of what a guard threw.
 */
@NullMarked
package dev.holdfast.http.server;

import org.jspecify.annotations.NullMarked;
