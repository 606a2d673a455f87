-- One node of a quorum.
--
--   lock value        owner round token tokens since lease kind notes pid host description
--   reservation       the same with round and token 0: the place of who is next, never a vote
--   admission record  admitted identity maxLease version servers
--                     pending identity maxLease nonce observed version servers
--
-- Kind: 'x' for an exclusive lock, the only one that this version knows. Any other is busy, and never taken, extended or
-- rewritten. Who releases, undoes or breaks names the owner, and that is enough. Notes: '-' or name=value,name=value; what
-- rewrites a value keeps those that it does not know.
--
-- ARGV admitted, always the first, is what the record of this node begins with if it may vote: the word, the identity that
-- the client expects (its list of servers as a digest, this server, and its data), and a space. A reply of more than one
-- number begins with a code and the time; that to a batch is a list of replies.

local OTHER_LIST, FAILED, UNADMITTED, TOO_LONG, LATE, BUSY, GRANTED = -5, -4, -3, -2, -1, 0, 1
