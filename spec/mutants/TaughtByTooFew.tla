---- MODULE TaughtByTooFew ----
(* A majority is made of the node itself and those it reads.
   Configuration: Loss. Violates: Unique. *)
EXTENDS Model

MutatedTaught(n) == 2 * (Cardinality(observer[n].read) + 1) > Cardinality(Nodes)
====
