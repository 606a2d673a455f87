/** Locks in ZooKeeper, compared with Curator's. Start with {@link dev.holdfast.benchmarks.zookeeper.ZooKeeperComparison}. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.benchmarks.zookeeper;
