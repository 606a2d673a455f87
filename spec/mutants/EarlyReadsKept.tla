---- MODULE EarlyReadsKept ----
(* Who learns of a longer lease keeps the counters read before.
   Configuration: Lengths. Violates: Unique. *)
EXTENDS Model

MutatedStillGood(n, longest) == observer[n].read
====
