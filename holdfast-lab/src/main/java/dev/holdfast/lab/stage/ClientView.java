package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A client process, as it is seen. Guarded by the {@link Board}. */
public final class ClientView {
    public final String name;
    public long pid;
    public boolean frozen;
    public boolean connected;
    public boolean working;
    private final Map<Lane, LaneView> lanes = new EnumMap<>(Lane.class);

    ClientView(String name) {
        this.name = name;
        for (Lane lane : Lane.values()) {
            lanes.put(lane, new LaneView());
        }
    }

    public LaneView lane(Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }
}
