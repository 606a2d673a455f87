---- MODULE OldRoundAccepted ----
(* A request of an earlier round is served, and the grant gets that round's number.
   Configuration: Retries. Violates: Exclusive. *)
EXTENDS Model

MutatedAcquireHolds(here, m) == Ours(here, m)
====
