---- MODULE TurnDuringARound ----
(* A claim that is told of another slot asks for it, while its round for the first is under way.
   Configuration: Slots. Violates: OneSlot. *)
EXTENDS Model

MutatedOneAtATime(o) == \A p \in SameClaim(o) \ {o} : claim[p].phase # "handed"
====
