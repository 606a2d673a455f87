package dev.holdfast.redis.testing;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;

/** Hears what disturbs a backend, and lets everything else pass. */
public final class Reports implements Events {
    public final List<String> disturbances = new ArrayList<>();

    @Override
    public void granted(String name, Owner owner, Grant grant) {}

    @Override
    public void maybeFree(String name) {}

    @Override
    public void lost(String name, Owner owner, String why) {}

    @Override
    public void recheckAll(String why) {}

    @Override
    public void notice(BackendNotice notice) {
        disturbances.add(notice.text());
    }
}
