---- MODULE UncheckedRaise ----
(* A node raises its owner's lock whatever value is stored with it.
   Configuration: Duplicates. Violates: Unique. *)
EXTENDS Model

MutatedRaiseHolds(here, m) == Ours(here, m)
====
