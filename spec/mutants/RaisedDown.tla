---- MODULE RaisedDown ----
(* A node whose late answer is larger than T is asked to stand at T, too.
   Configuration: Raises. Violates: Unique. *)
EXTENDS Model

MutatedMayRaise(r, goal) == r.value # goal
====
