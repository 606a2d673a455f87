---- MODULE LengthKeptToItself ----
(* A longer lease is held before a majority knows of it.
   Configuration: Lengths. Violates: Exclusive. *)
EXTENDS Model

MutatedMayAsk(o) == claim[o].phase = IF Lease(o) = 1 THEN "idle" ELSE "lengthening"
====
