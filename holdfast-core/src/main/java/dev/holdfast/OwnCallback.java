package dev.holdfast;

import java.util.function.Consumer;

/**
 * A callback of Holdfast itself. It is called by the thread that brings the news, with no lock held, and not on the executor for
 * user code: that one may be busy, and what has to happen now would happen late. Must not block.
 */
@FunctionalInterface
interface OwnCallback extends Consumer<Loss> {}
