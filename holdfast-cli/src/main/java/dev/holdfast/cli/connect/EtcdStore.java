package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.Passwords;
import dev.holdfast.etcd.EtcdBackend;
import dev.holdfast.spi.LockBackend;

/** An etcd cluster. */
record EtcdStore(String url) implements Store {
    @Override
    public String label() {
        return Passwords.mask(url);
    }

    @Override
    public LockBackend backend() {
        return EtcdBackend.connect(url);
    }

    @Override
    public String initialise() {
        return "Nothing to do: etcd needs no preparation.";
    }
}
