---- MODULE UnconditionalRaise ----
(* A node raises whoever holds the lock there.
   Configuration: Tokens. Violates: Unique. *)
EXTENDS Model

MutatedRaiseHolds(here, m) == TRUE
====
