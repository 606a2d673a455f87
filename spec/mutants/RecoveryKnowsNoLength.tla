---- MODULE RecoveryKnowsNoLength ----
(* Not a rule but an assumption: those who recover from a mass restart know the longest lease.
   Configuration: LengthKnown. Violates: Exclusive. *)
EXTENDS Model

MutatedRecoveryWaited(n) == Waited(observer[n].before, 1)
====
