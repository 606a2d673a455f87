---- MODULE HandedOutLate ----
(* A client does not look at its clock when it hands out: a round may go on after everybody else has waited for its end.
   Configuration: Loss. Violates: Exclusive. *)
EXTENDS Model

MutatedWaited(before, longest) == {t \in before : claim[t[1]].phase = "handed"} \cap Running = {}
====
