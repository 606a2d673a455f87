package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Failures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides from what all nodes said whether one that does not vote may be bound to this client's list of servers. Pure.
 *
 * <p>A node that has forgotten its list takes one only where that list stands already: at a majority of the others, or, for
 * a list that too few know, with the consent of every server on it. Otherwise a client with a wrong list would teach the
 * servers that the others do not know to vote by themselves, and there would be two majorities.
 */
final class ListBinding {
    /** What a node said. */
    enum Kind {
        /** It votes for clients with our list. */
        VOTES,
        /** It belongs to our list, and does not vote yet. */
        OURS,
        /** It belongs to no list. */
        EMPTY,
        /** It belongs to another list. */
        OTHER,
        /** Nothing. */
        SILENT
    }

    /**
     * One node's word.
     *
     * @param version of the list it belongs to
     * @param servers that list; for a silent node, why it is silent
     */
    record Sighting(Kind kind, long version, String servers) {
        static Sighting silent(Throwable why) {
            return new Sighting(Kind.SILENT, 0, Failures.describe(why));
        }

        static Sighting of(ServerList ours, boolean votes, String text) {
            AdmissionRecord record = AdmissionRecord.parse(text);
            if (record == null) {
                return new Sighting(Kind.EMPTY, 0, "");
            }
            Kind kind = votes ? Kind.VOTES : record.list().equals(ours.digest()) ? Kind.OURS : Kind.OTHER;
            return new Sighting(kind, record.version(), record.servers());
        }
    }

    private final ServerList list;
    private final List<Sighting> sightings;

    ListBinding(ServerList list, List<Sighting> sightings) {
        this.list = list;
        this.sightings = List.copyOf(sightings);
    }

    /** Of our list, as far as the nodes know it. */
    private long version() {
        return sightings.stream()
                .filter(each -> each.kind == Kind.VOTES || each.kind == Kind.OURS)
                .mapToLong(Sighting::version)
                .reduce(1, Math::max);
    }

    /** Why this node may not be watched by us; null if it may. */
    @Nullable
    String obstacle(int node) {
        Sighting seen = sightings.get(node);
        return switch (seen.kind) {
            case VOTES, OURS -> null;
            case SILENT -> seen.servers;
            case EMPTY -> stands(node) ? null : consent();
            // It has missed that a server was replaced. Like one that has forgotten, it missed what happened since.
            case OTHER -> stands(node) && seen.version < version() ? null : list.difference(seen.servers);
        };
    }

    /**
     * Under which version this node is bound. One that is bound by our own word alone has none; if it is not admitted together
     * with the others, its watch begins anew once the list stands.
     */
    long versionFor(int node) {
        return stands(node) ? version() : sightings.get(node).kind == Kind.EMPTY ? 0 : sightings.get(node).version;
    }

    private boolean stands(int node) {
        long voting = 0;
        for (int i = 0; i < sightings.size(); i++) {
            voting += i != node && sightings.get(i).kind == Kind.VOTES ? 1 : 0;
        }
        return voting >= Ballot.majorityOf(sightings.size() - 1);
    }

    private @Nullable String consent() {
        for (Sighting each : sightings) {
            if (each.kind == Kind.OTHER) {
                return list.difference(each.servers);
            }
        }
        long silent =
                sightings.stream().filter(each -> each.kind == Kind.SILENT).count();
        return silent == 0
                ? null
                : "too few servers vote to say which list it belongs to, so all " + sightings.size()
                        + " on the list have to answer, and " + silent + " do not. Bring them back, empty if need be";
    }
}
