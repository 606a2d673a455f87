---- MODULE NoDelay ----
(* Readmission without the delay.
   Configuration: Loss. Violates: Exclusive. *)
EXTENDS Model

MutatedWaited(before, longest) == TRUE
====
