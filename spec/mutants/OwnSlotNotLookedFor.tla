---- MODULE OwnSlotNotLookedFor ----
(* A claim that is sent again, or told of a slot, does not look whether it has one.
   Configuration: Slots. Violates: OneSlot. *)
EXTENDS Model

MutatedOneAtATime(o) == \A p \in SameClaim(o) \ {o} : claim[p].phase \notin {"asking", "raising"}
====
