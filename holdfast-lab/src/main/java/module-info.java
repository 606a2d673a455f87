/** The lab, in which the stories of docs/lab.md are played on real servers. Start with {@link dev.holdfast.lab.Lab}. */
@SuppressWarnings("module") // The command is built after this.
module dev.holdfast.lab {
    requires dev.holdfast;
    requires dev.holdfast.dashboard;
    requires dev.holdfast.redis;
    requires static org.jspecify;

    exports dev.holdfast.lab;
    // For the demo: the server that comes with us.
    exports dev.holdfast.lab.machine to
            dev.holdfast.cli;
}
