package dev.holdfast.proving.subject;

import java.util.ArrayList;
import java.util.List;

/** Who takes part. */
public final class Subjects {
    private Subjects() {}

    /** Everybody, ours first; the one that is broken on purpose is not among them. */
    public static List<Subject> all() {
        List<Subject> all = new ArrayList<>(HoldfastSubjects.all());
        for (Store store : RedisTopology.STORES) {
            all.add(new RedissonSubject(store, false));
            all.add(new RedissonSubject(store, true));
            all.add(new PlainRedisSubject(store));
            all.add(new SpringIntegrationSubject(store));
            all.add(new ShedLockSubject(store));
        }
        all.add(new RedLockSubject());
        all.add(new SpringIntegrationSubject(Store.POSTGRES));
        all.add(new ShedLockSubject(Store.POSTGRES));
        all.add(new CuratorSubject());
        all.add(new JetcdSubject());
        return List.copyOf(all);
    }

    /**
     * Finds one by its id; the one that is broken on purpose, too.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Subject named(String id) {
        if (id.equals("broken")) {
            return new BrokenSubject();
        }
        return all().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no subject '" + id + "'. There are "
                        + String.join(", ", all().stream().map(Subject::id).toList()) + ", broken."));
    }
}
