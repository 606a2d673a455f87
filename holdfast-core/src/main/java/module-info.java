/** Holdfast: a distributed lock with leases and fencing tokens. Start with {@link dev.holdfast.Holdfast}. */
module dev.holdfast {
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.holdfast;
    exports dev.holdfast.memory;
    exports dev.holdfast.spi;
    exports dev.holdfast.testing;
}
