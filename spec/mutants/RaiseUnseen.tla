---- MODULE RaiseUnseen ----
(* Round 2 goes to every node; where no grant was seen, there is no value to compare.
   Configuration: Duplicates. Violates: Unique. *)
EXTENDS Model

MutatedRaiseRequests(o, considered, goal) == 
    {[kind |-> "raise", owner |-> o, round |-> claim[o].round, node |-> n, answered |-> 0, token |-> goal]
        : n \in Nodes \ From(considered)}
    \cup {[kind |-> "raise", owner |-> o, round |-> r.round, node |-> r.node, answered |-> r.value, token |-> goal]
        : r \in {s \in considered : s.value # goal}}

MutatedRaiseHolds(here, m) == Ours(here, m) /\ (m.answered = 0 \/ here.value \in {m.answered, m.token})
====
