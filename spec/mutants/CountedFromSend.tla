---- MODULE CountedFromSend ----
(* An observer counts from when its first contact was sent, which may have been before any round began.
   Configuration: Loss. Violates: Exclusive. *)
EXTENDS Model

MutatedClockStarts == {}
====
