---- MODULE RecoveredByMajority ----
(* New nodes vote as soon as a majority of a list is bound to it.
   Configuration: NewLists. Violates: Exclusive. *)
EXTENDS Lists

MutatedAllBound(list) == Enough(list, {m \in list : BelongsTo(m, list)}, {})
====
