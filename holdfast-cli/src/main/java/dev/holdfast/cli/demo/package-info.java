/** {@code holdfast demo}: {@link dev.holdfast.cli.demo.Demo} shows the lock on the servers that {@code RedisServers} starts. */
@NullMarked
package dev.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
