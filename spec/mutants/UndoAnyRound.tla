---- MODULE UndoAnyRound ----
(* Undo takes whatever the owner holds.
   Configuration: Retries. Violates: Exclusive. *)
EXTENDS Model

MutatedUndoHolds(here, m) == Ours(here, m)
====
