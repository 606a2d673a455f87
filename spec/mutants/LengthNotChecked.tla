---- MODULE LengthNotChecked ----
(* A node grants a longer lease than its record admits.
   Configuration: LengthForgotten. Violates: Exclusive. *)
EXTENDS Model

MutatedAccepts(n, o) == TRUE
====
