/** Locks in etcd, compared with jetcd's and with bare transactions. Start with {@link dev.holdfast.benchmarks.etcd.EtcdWorkloads}. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.benchmarks.etcd;
