/** The command {@code holdfast}. An application: it exports nothing. */
module dev.holdfast.cli {
    requires dev.holdfast;
    requires dev.holdfast.dashboard;
    requires dev.holdfast.etcd;
    requires dev.holdfast.jdbc;
    requires dev.holdfast.lab;
    requires dev.holdfast.redis;
    requires info.picocli;
    // Signals can be handled in no other way.
    requires jdk.unsupported;
    requires static org.jspecify;

    opens dev.holdfast.cli to
            info.picocli;
    opens dev.holdfast.cli.connect to
            info.picocli;
    opens dev.holdfast.cli.serve to
            info.picocli;
}
