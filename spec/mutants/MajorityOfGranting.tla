---- MODULE MajorityOfGranting ----
(* A majority of N grants, and a majority of those stands at the token.
   Configuration: Even. Violates: Unique. *)
EXTENDS Model

MutatedEnough(standing, granting) ==
    2 * Cardinality(granting) > Cardinality(Nodes) /\ 2 * Cardinality(standing) > Cardinality(granting)
====
