package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LockKey;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

class PathsTest {
    @Test
    void namesAreEncodedReversiblyIntoOnePathElement() {
        // What a path, a shell or a reader could take for something else.
        for (String name :
                List.of("a", "a/b", "..", ".", "%2F", "%", "a%", "漢字", "\ud83d\udd12", " ", "zookeeper", "é")) {
            String element = Paths.encode(name);
            assertThat(element).matches("[A-Za-z0-9_%-]+");
            assertThat(Paths.decode(element)).isEqualTo(name);
            assertThatCode(() -> PathUtils.validatePath(Paths.below("/holdfast").lock(name)))
                    .doesNotThrowAnyException();
        }
        assertThat(Paths.encode("%2F")).isNotEqualTo(Paths.encode("/"));
    }

    @Test
    void everyKindHasANodeOfItsOwnThatTellsItsKey() {
        // A dot cannot come from a name: that is written as %2E.
        Paths paths = new Paths("/holdfast/2");
        String semaphore = LockKey.semaphore("a.b").encoded();
        String catalog = LockKey.readWriteLock("a.b").encoded();
        List<String> elements = Stream.of(
                        paths.lock("a.b"), paths.lock(semaphore), paths.slots(semaphore), paths.lock(catalog))
                .map(path -> path.substring(path.lastIndexOf('/') + 1))
                .toList();
        assertThat(elements).containsExactly("a%2Eb", "a%2Eb.semaphore", "a%2Eb.slots", "a%2Eb.rw");
        assertThat(elements.stream().map(Paths::key).map(Optional::orElseThrow))
                .containsExactly("a.b", semaphore, semaphore, catalog);
        assertThat(Stream.of("a.later", "a.rw.rw", ".rw", "a%zz", "%1Frw%3Aa", "")
                        .map(Paths::key))
                .containsOnly(Optional.empty());
    }

    @Test
    void aConnectStringIsHostsAndAPath() {
        assertThat(Address.parse("a:1,b:2/x/y/")).isEqualTo(new Address("a:1,b:2", "/x/y"));
        assertThat(Address.parse("a:1")).isEqualTo(new Address("a:1", ""));
        assertThat(Address.parse("a:1/")).isEqualTo(new Address("a:1", ""));
        assertThatThrownBy(() -> Address.parse("/x")).hasMessageContaining("host:2181");
        assertThatThrownBy(() -> Address.parse("a:1/x//y")).isInstanceOf(IllegalArgumentException.class);
    }
}
