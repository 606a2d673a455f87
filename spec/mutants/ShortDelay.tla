---- MODULE ShortDelay ----
(* Readmission waits for the lease that everybody begins with.
   Configuration: Lengths. Violates: Exclusive. *)
EXTENDS Model

MutatedMayRead(n, longest) == Waited(observer[n].before, 1)
====
