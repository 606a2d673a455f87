---- MODULE NoReseed ----
(* Readmission after the delay, with a counter that begins anew.
   Configuration: Loss. Violates: Unique. *)
EXTENDS Model

MutatedTaught(n) == observer[n].nonce > 0 /\ Waited(observer[n].before, LongestLease)
====
