package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The clients of one workload, kept from round to round. */
final class Connections {
    private final Map<Peer, List<Peer.Client>> open = new HashMap<>();

    List<Peer.Client> of(Peer peer, int count, List<String> urls) throws Exception {
        List<Peer.Client> known = open.computeIfAbsent(peer, added -> new ArrayList<>());
        while (known.size() < count) {
            known.add(peer.connect(urls));
        }
        return known;
    }

    void close() {
        open.values().forEach(all -> all.forEach(Peer.Client::close));
    }
}
