---- MODULE MajorityOfGranting ----
(* A majority of N grants, and a majority of those stands at the token.
   Configuration: Even. Violates: Unique. *)
EXTENDS Model

MutatedEnough(list, standing, granting) ==
    2 * Cardinality(granting) > Cardinality(list) /\ 2 * Cardinality(standing) > Cardinality(granting)
====
