package dev.holdfast.redis;

import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;

/** Hears what disturbs a backend, and lets everything else pass. */
final class Reports implements Events {
    final List<String> disturbances = new ArrayList<>();

    @Override
    public void granted(String name, Owner owner, Grant grant) {}

    @Override
    public void maybeFree(String name) {}

    @Override
    public void lost(String name, Owner owner, String why) {}

    @Override
    public void recheckAll(String why) {}

    @Override
    public void disturbed(String where, String what) {
        disturbances.add(what);
    }
}
