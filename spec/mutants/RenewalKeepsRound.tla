---- MODULE RenewalKeepsRound ----
(* A renewed grant keeps the number of the round it came from.
   Configuration: Renewals. Violates: Exclusive. *)
EXTENDS Model

MutatedRenewing(here, m) == [here EXCEPT !.armed = Latest(m.owner)]
====
