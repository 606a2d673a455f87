---- MODULE RoundNotStored ----
(* Present and ours: the grant keeps the number of its first round.
   Configuration: Retries. Violates: Exclusive. *)
EXTENDS Model

MutatedAgain(here, m) == [here EXCEPT !.armed = Latest(m.owner)]
====
