package dev.holdfast.jdbc;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;

/** For a backend without a Holdfast. */
enum Ignored implements Events {
    EVENTS;

    @Override
    public void granted(String name, Owner owner, Grant grant) {}

    @Override
    public void maybeFree(String name) {}

    @Override
    public void lost(String name, Owner owner, String why) {}

    @Override
    public void recheckAll(String why) {}

    @Override
    public void notice(BackendNotice notice) {}
}
