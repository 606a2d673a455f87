package dev.holdfast.zookeeper;

import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what with the nodes that we create.
 *
 * @param chosen what new nodes get; null to find out whether the session has credentials
 */
record NewNodeAcl(@Nullable List<ACL> chosen) {
    List<ACL> in(Session session) {
        if (chosen != null) {
            return chosen;
        }
        return session.isAnonymous() ? ZooDefs.Ids.OPEN_ACL_UNSAFE : ZooDefs.Ids.CREATOR_ALL_ACL;
    }

    /**
     * A server refuses a creator-only node if it does not know the creator. Then there are no credentials to protect it
     * with.
     *
     * @param before whether that was known when the request was sent
     */
    boolean isFoundAnonymous(Session session, boolean before, Throwable failure) {
        if (chosen != null || before || !Errors.is(failure, Code.INVALIDACL)) {
            return false;
        }
        session.noteAnonymous();
        return true;
    }
}
