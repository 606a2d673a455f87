---- MODULE NoNonce ----
(* An observer admits whatever record is pending.
   Configuration: Losses. Violates: Exclusive. *)
EXTENDS Model

MutatedSameRecord(n) == observer[n].nonce > 0
====
