/** What the lab and its processes say to each other: {@code Message} to clients and back, {@code Resp} to servers. */
@NullMarked
package dev.holdfast.lab.wire;

import org.jspecify.annotations.NullMarked;
