---- MODULE RaiseUnseen ----
(* Round 2 goes to every node; where no grant was seen, there is no value to compare.
   Configuration: Raises. Violates: Unique. *)
EXTENDS Model

MutatedRaiseRequests(o, answers, goal) ==
    {[kind |-> "raise", owner |-> o, round |-> claim[o].round, node |-> n, token |-> goal,
      answered |-> IF n \in From(answers) THEN (CHOOSE r \in answers : r.node = n).value ELSE 0] : n \in Nodes}

MutatedRaiseHolds(here, m) == Ours(here, m) /\ (m.answered = 0 \/ here.value \in {m.answered, m.token})
====
