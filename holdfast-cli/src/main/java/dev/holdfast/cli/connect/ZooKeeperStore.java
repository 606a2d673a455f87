package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.Passwords;
import dev.holdfast.spi.LockBackend;
import java.lang.reflect.InvocationTargetException;

/** A ZooKeeper ensemble. */
record ZooKeeperStore(String url) implements Store {
    private static final String BACKEND = "dev.holdfast.zookeeper.ZooKeeperBackend";

    @Override
    public String label() {
        return Passwords.mask(url);
    }

    /** By name: the jars of ZooKeeper share packages, so this module cannot require what needs them. */
    @Override
    public LockBackend backend() {
        try {
            return (LockBackend)
                    Class.forName(BACKEND).getMethod("connect", String.class).invoke(null, url);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException refused ? refused : new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String initialise() {
        return "Nothing to do: ZooKeeper needs no preparation.";
    }
}
