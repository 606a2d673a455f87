---- MODULE ReadBeforeWait ----
(* Counters are read at once, and the node is admitted after the delay.
   Configuration: Loss. Violates: Unique. *)
EXTENDS Model

MutatedMayRead(n, longest) == TRUE
MutatedTaught(n) == 2 * Cardinality(observer[n].read) > Cardinality(Nodes) - 1 /\ Waited(observer[n].before, LongestLease)
====
