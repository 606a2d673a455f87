/** Locks in etcd. Start with {@link dev.holdfast.etcd.EtcdBackend}. */
// gRPC's and protobuf's jars are automatic modules under names they have declared, so the names are not going to
// change.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.holdfast.etcd {
    requires transitive dev.holdfast;
    requires transitive io.grpc;
    requires io.grpc.okhttp;
    requires io.grpc.stub;
    requires io.grpc.protobuf.lite;
    requires com.google.protobuf;
    requires com.google.common;
    requires static transitive org.jspecify;

    exports dev.holdfast.etcd;
}
