package dev.holdfast.http.spring;

import dev.holdfast.Lease;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Names the lease whose token goes with a request: {@code client.put().uri(…).attributes(LeaseAttribute.of(lease))}. */
public final class LeaseAttribute {
    /** The name of the attribute. Its value is a {@link Lease}. */
    public static final String NAME = "dev.holdfast.http.lease";

    private LeaseAttribute() {}

    /** For {@code attributes(…)} of a request of {@code RestClient} or {@code WebClient}. */
    public static Consumer<Map<String, Object>> of(Lease lease) {
        Objects.requireNonNull(lease, "lease");
        return attributes -> attributes.put(NAME, lease);
    }

    /** Null: the request was not made under a lock. */
    static @Nullable Lease in(Map<String, Object> attributes) {
        Object value = attributes.get(NAME);
        if (value == null || value instanceof Lease) {
            return (Lease) value;
        }
        throw new IllegalArgumentException("The attribute " + NAME + " is a Lease, not a "
                + value.getClass().getName());
    }
}
