package dev.holdfast.benchmarks;

import dev.holdfast.benchmarks.sidebyside.Peer;
import java.util.List;
import java.util.function.Function;

/** One client of a store, whoever made the lock: the same few words for all of them. */
public interface Contender extends AutoCloseable {
    /** Who it is. */
    String name();

    /** Blocks until it is held. What is returned releases it, in the same thread. */
    Runnable lock(String name) throws Exception;

    @Override
    void close();

    /** For {@code ./bench}. */
    static Peer peer(String name, String setUp, Function<String, Contender> opening) {
        return new AsPeer(name, setUp, opening);
    }

    /** Connects to the first of the store's addresses. */
    record AsPeer(String name, String setUp, Function<String, Contender> opening) implements Peer {
        @Override
        public Client connect(List<String> urls) {
            Contender contender = opening.apply(urls.get(0));
            return new Client() {
                @Override
                public Held lock(String name) throws Exception {
                    return contender.lock(name)::run;
                }

                @Override
                public void close() {
                    contender.close();
                }
            };
        }
    }
}
