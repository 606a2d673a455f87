---- MODULE UpwardBlocks ----
(* The tokens of a tenure begin at T.
   Configuration: Tokens. Violates: Unique. *)
EXTENDS Model

MutatedFirst(o, t) == t
MutatedLast(o, t) == t + K(o) - 1
====
