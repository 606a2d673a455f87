---- MODULE ClocksBehind ----
(* Not a rule but an assumption: after a mass restart no clock is ahead of the tokens.
   Configuration: Losses. Violates: Unique. *)
EXTENDS Model

MutatedClock == 0
====
