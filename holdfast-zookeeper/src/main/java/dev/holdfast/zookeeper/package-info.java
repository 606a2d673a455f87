/** Locks in ZooKeeper. Start with {@link dev.holdfast.zookeeper.ZooKeeperBackend}. */
@NullMarked
package dev.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
