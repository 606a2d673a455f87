---- MODULE TaughtByForgetful ----
(* Counters are read from nodes that lost theirs.
   Configuration: Losses. Violates: Unique. *)
EXTENDS Model

MutatedTeaches(m) == TRUE
====
