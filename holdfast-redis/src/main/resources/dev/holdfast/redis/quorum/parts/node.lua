-- One node of a quorum.
--
--   lock value        owner round token tokens since lease pid host description
--   reservation       the same with round and token 0: the place of who is next, never a vote
--   admission record  admitted identity maxLease  |  pending identity maxLease nonce observed
--
-- ARGV admitted, always the first, is what the record of this node begins with if it may vote: the word, the identity that
-- the client expects (the number of nodes, the server, and its data), and a space. A reply of more than one number begins
-- with a code and the time; that to a bundle is a list of replies.

local FAILED, UNADMITTED, TOO_LONG, LATE, BUSY, GRANTED = -4, -3, -2, -1, 0, 1
