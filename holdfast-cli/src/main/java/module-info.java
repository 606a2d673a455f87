/** The command {@code holdfast}. An application: it exports nothing. */
module dev.holdfast.cli {
    requires dev.holdfast;
    requires dev.holdfast.jdbc;
    requires dev.holdfast.redis;
    requires info.picocli;
    // Signals can be handled in no other way.
    requires jdk.unsupported;
    requires static org.jspecify;

    opens dev.holdfast.cli to
            info.picocli;
}
