package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;

/** What a backend consists of once core has given it time and events. */
record Components(
        Environment environment,
        Connection connection,
        SessionTracker tracker,
        Nodes nodes,
        Places places,
        ClaimQueue claims,
        Renewals renewals,
        Inspection inspection,
        Heartbeat beat) {
    /** Puts everything together, and begins to connect. */
    static Components open(Settings settings, Environment environment, Events events) {
        Places places = new Places();
        Connection connection = Connection.of(settings, environment, places::isAnyHeld);
        Paths paths = settings.paths();
        ConnectionEvents connectionEvents = new ConnectionEvents(events);
        SessionTracker tracker = new SessionTracker(
                connection.curator(), settings.timing(), settings.connectionTimeout(), environment, connectionEvents);
        Nodes nodes = new Nodes(paths, environment);
        NewNodeAcl acl = new NewNodeAcl(settings.acl());
        ClaimCreator creator = new ClaimCreator(paths, acl);
        TurnWatch turns = new TurnWatch(nodes, places, environment, events);
        Renumbering renumbering = new Renumbering(creator, paths);
        Slots slots = new Slots(paths, acl, creator);
        SlotTurns slotTurns = new SlotTurns(slots, paths, nodes, places, turns, environment, events);
        SlotAttempt attempt = new SlotAttempt(slots, paths);
        ClaimQueue claims = new ClaimQueue(
                tracker, paths, nodes, creator, renumbering, places, turns, slotTurns, attempt, environment, events);
        Heartbeat beat = new Heartbeat(tracker, turns, places, paths, environment);
        connectionEvents.begin(claims, beat, new SessionGuard.Factory(creator, paths, environment, events, tracker));
        Components opened = new Components(
                environment,
                connection,
                tracker,
                nodes,
                places,
                claims,
                new Renewals(tracker, nodes, places, paths, environment),
                new Inspection(tracker, nodes, paths),
                beat);
        tracker.open(connection.handles());
        return opened;
    }

    /** Blocks for a few seconds at most. */
    void close() {
        beat.stop();
        Session last = tracker.close();
        Shutdown.of(last, connection, places, nodes, environment);
    }
}
