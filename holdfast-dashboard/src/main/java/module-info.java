/** The console in the browser. Start with {@link dev.holdfast.dashboard.Dashboard}. */
@SuppressWarnings("module") // The lab and the command are built after this.
module dev.holdfast.dashboard {
    requires transitive dev.holdfast;
    requires transitive jdk.httpserver;
    requires org.slf4j;
    requires static org.jspecify;

    exports dev.holdfast.dashboard;
    // Not for users: the parts that our own pages and commands share.
    exports dev.holdfast.dashboard.json to
            dev.holdfast.cli,
            dev.holdfast.lab;
    exports dev.holdfast.dashboard.web to
            dev.holdfast.cli,
            dev.holdfast.lab;
}
