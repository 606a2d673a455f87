---- MODULE NoRoundTwo ----
(* The largest answer is the token, and nobody is raised to it.
   Configuration: Tokens. Violates: Unique. *)
EXTENDS Model

MutatedStanding(answers, t) == {r \in answers : r.value <= t}
====
