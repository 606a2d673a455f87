---- MODULE OldAnswersCounted ----
(* An answer counts whichever round it answers.
   Configuration: Retries. Violates: Exclusive. *)
EXTENDS Model

MutatedHeard(o, round) == {r \in replies : r.owner = o}
MutatedForget(o) == UNCHANGED replies
====
