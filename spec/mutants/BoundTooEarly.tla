---- MODULE BoundTooEarly ----
(* The wait for the new node counts from before a majority was bound to the new list.
   Configuration: Replacement. Violates: Exclusive. *)
EXTENDS Lists

MutatedSinceItStands(n) == observer[n].nonce > 0
====
