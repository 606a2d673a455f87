package dev.holdfast.etcd;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a backend consists of once core has given it time and events. */
record Components(
        Client client, Places places, ClaimQueue claims, Removals removals, Renewals renewals, Inspection inspection) {
    private static final long LIMIT_MILLIS = 2000;

    /** Puts everything together. Nothing is sent yet. */
    static Components open(Settings settings, Environment environment, Events events) {
        Keys keys = settings.keys();
        Members members = new Members(settings, environment, events);
        Client client = new Client(members, settings, events);
        Places places = new Places(keys, environment);
        Transactions transactions = new Transactions(client, settings.requestTimeout(), environment);
        Removals removals = new Removals(transactions, environment);
        ClaimQueue claims = new ClaimQueue(client, transactions, keys, places, removals, environment, events);
        return new Components(
                client,
                places,
                claims,
                removals,
                new Renewals(client, keys, places, claims.leases(), removals, environment),
                new Inspection(client, keys, removals, events));
    }

    /** Claims that wait are removed, those that hold a lock are left to expire. Blocks for a few seconds at most. */
    void close() {
        // Whatever is about to be created has to be known before it can be removed.
        await(places.asked());
        List<ServerLease> left = claims.leases().close();
        List<CompletableFuture<?>> leaving = new ArrayList<>();
        for (ServerLease lease : left) {
            List<Place> here =
                    places.all().stream().filter(place -> place.lease == lease).toList();
            if (here.stream().noneMatch(place -> place.granted)) {
                leaving.add(claims.leases().revoke(lease.id));
            } else {
                here.stream()
                        .filter(place -> !place.granted && place.revision != 0)
                        .forEach(place -> leaving.add(removals.remove(place.key, place.revision)));
            }
        }
        await(leaving);
        claims.watches().end("closed");
        claims.leases().endStream();
        client.close();
        client.members.close();
    }

    private static void await(List<? extends CompletableFuture<?>> leaving) {
        try {
            CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new)).get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unconfirmed) {
            // What stays ends with its lease.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
