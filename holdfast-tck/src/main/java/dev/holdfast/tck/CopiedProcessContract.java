package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.LockBackend;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Two processes restored from one snapshot have the same memory and draw the same random numbers. A store that hands out a
 * mark for each connection keeps their owners apart. A backend declares that by a mark that is not zero; one that has none
 * says zero, and its documents say what a copied process may do.
 */
interface CopiedProcessContract {
    @Test
    default void twoConnectionsHaveDifferentMarksOrNone(Bench bench) {
        List<Client> clients = bench.clients(3);
        Set<Long> marks = new HashSet<>();
        for (Client client : clients) {
            // A mark may come with the first answer.
            client.release(client.hold(bench.claim(bench.name("marked"))));
            marks.add(client.backend.connectionMark());
        }
        if (!marks.equals(Set.of(0L))) {
            assertThat(marks).as("the marks of three connections").hasSize(3).doesNotContain(0L);
        }
    }

    @Test
    default void copiesOfOneMemoryNeverShareAnOwnerWhereTheStoreMarksConnections(Bench bench) throws Exception {
        // Both draw the same numbers. Each first acquires a lock of its own, so that it has a connection.
        Set<TenureHandle> owners = new HashSet<>();
        int drawn = 0;
        boolean marked = false;
        for (int copy = 0; copy < 2; copy++) {
            LockBackend backend = bench.newBackend();
            Holdfast holdfast = bench.holdfast(backend, new SameNumbers(bench.environment()));
            holdfast.lock(bench.name("connecting " + copy))
                    .acquire(bench.patience())
                    .close();
            marked = backend.connectionMark() != 0;
            for (int i = 0; i < 8; i++) {
                String name = bench.name("copy " + copy + " lock " + i);
                try (Lease lease = holdfast.lock(name).acquire(bench.patience())) {
                    owners.add(holdfast.inspect(name).orElseThrow().tenure());
                    drawn++;
                    assertThat(lease.isValid()).isTrue();
                }
            }
        }
        if (marked) {
            assertThat(owners).as("the owners of two copies").hasSize(drawn);
        }
    }
}
