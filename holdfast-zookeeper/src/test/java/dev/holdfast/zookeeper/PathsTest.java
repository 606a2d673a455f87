package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
    void aConnectStringIsHostsAndAPath() {
        assertThat(Address.parse("a:1,b:2/x/y/")).isEqualTo(new Address("a:1,b:2", "/x/y"));
        assertThat(Address.parse("a:1")).isEqualTo(new Address("a:1", ""));
        assertThat(Address.parse("a:1/")).isEqualTo(new Address("a:1", ""));
        assertThatThrownBy(() -> Address.parse("/x")).hasMessageContaining("host:2181");
        assertThatThrownBy(() -> Address.parse("a:1/x//y")).isInstanceOf(IllegalArgumentException.class);
    }
}
