----------------------------- MODULE Admission -----------------------------
(* How a node that lost its memory comes to vote again.

   Of a restart, a failover and a FLUSHALL, the last is the hardest case and the one modelled: it leaves the node's identity
   as it was, so that older requests are served once the node was admitted again. *)
EXTENDS Quorum

Votes(longest) == [state |-> "admitted", nonce |-> 0, before |-> {}, longest |-> longest]
NoRecord == [state |-> "absent", nonce |-> 0, before |-> {}, longest |-> 0]
NoObserver == [nonce |-> 0, before |-> {}, read |-> {}, seed |-> 0, longest |-> 1]

OnlyAdmission == UNCHANGED <<lock, onTheWire, claim, repeats>>

(* ▲ A record that came back with old data is another identity's. *)
RecordAfterLoss(n) == NoRecord

Lose(n) ==
    /\ losses < Losses
    /\ losses' = losses + 1
    /\ counter' = [counter EXCEPT ![n] = 0]
    /\ lock' = [lock EXCEPT ![n] = [name \in Names |-> Free]]
    /\ record' = [record EXCEPT ![n] = RecordAfterLoss(n)]
    /\ UNCHANGED <<onTheWire, claim, observer, repeats>>

(* ▲ The clock of an observer starts with the answer to its first contact, not when that was sent. It has run for a lease
   when the timers of such leases that run now are over. *)
ClockStarts == Running

(* First contact, by the observer we follow or, if it still knows of an earlier record, by another. *)
Meet(n) ==
    /\ record[n].state = "absent"
    /\ record' = [record EXCEPT ![n] = [@ EXCEPT !.state = "pending", !.nonce = losses, !.before = ClockStarts]]
    /\ \/ observer' = [observer EXCEPT ![n] = [NoObserver EXCEPT !.nonce = losses, !.before = ClockStarts]]
       \/ observer[n] # NoObserver /\ UNCHANGED observer
    /\ UNCHANGED <<counter, losses>> /\ OnlyAdmission

Observe(n) ==
    /\ record[n].state = "pending"
    /\ record[n].nonce # observer[n].nonce
    /\ observer' = [observer EXCEPT ![n] = [NoObserver EXCEPT !.nonce = record[n].nonce, !.before = record[n].before]]
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission

(* ▲ Rounds that ran when the node was met may rest on what it had promised before. *)
Waited(before, longest) == {t \in before : Lease(t[1]) <= longest} \cap Running = {}

(* ▲ A node that lost its memory itself has nothing to teach. *)
Teaches(m) == Admitted(m)

(* ▲ What the others know is read after the wait, or a round that runs meanwhile is missed. *)
MayRead(n, longest) == Waited(observer[n].before, longest)

(* ▲ How long to wait is recorded at the others. Who learns of a longer lease has read too early so far. *)
StillGood(n, longest) == IF longest > observer[n].longest THEN {} ELSE observer[n].read

(* One at a time: the others go on meanwhile. *)
Read(n, m) ==
    LET longest == Max(observer[n].longest, record[m].longest) IN
    /\ observer[n].nonce > 0
    /\ m # n /\ m \notin observer[n].read
    /\ Teaches(m)
    /\ MayRead(n, longest)
    /\ observer' = [observer EXCEPT ![n] = [@ EXCEPT !.read = StillGood(n, longest) \cup {m}, !.seed = Max(@, counter[m]),
                                                     !.longest = longest]]
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission

(* ▲ A majority of the others: a token that this node helped to make stands at half of the others at least. *)
Taught(n) == 2 * Cardinality(observer[n].read) > Cardinality(Nodes) - 1

(* ▲ The node may have been admitted by others, lost its memory again, and been met by somebody who began to wait later. *)
SameRecord(n) == record[n].nonce = observer[n].nonce

(* By our observer, or by another with the same knowledge; then ours does not notice, which matters if there is another loss
   to come. *)
Admit(n) ==
    /\ record[n].state = "pending"
    /\ SameRecord(n)
    /\ Taught(n)
    /\ counter' = [counter EXCEPT ![n] = Max(@, observer[n].seed)]
    /\ record' = [record EXCEPT ![n] = Votes(observer[n].longest)]
    /\ \/ observer' = [observer EXCEPT ![n] = NoObserver]
       \/ losses < Losses /\ UNCHANGED observer
    /\ UNCHANGED losses /\ OnlyAdmission

(* A majority lost its memory, so nobody can be taught by a majority of the others. What is left are the nodes' clocks and
   the longest lease that clients are configured with. *)
Granted == {0} \cup {counter[n] : n \in Nodes} \cup {r.value : r \in replies} \cup {claim[o].token : o \in Owners}
Clock == IF ClocksTellOrder THEN Largest(Granted) ELSE 0
RecoveryWaited(n) == Waited(observer[n].before, LongestLease)

Recover(lost) ==
    /\ Enough(lost, lost)
    /\ \A n \in lost : record[n].state = "pending" /\ SameRecord(n) /\ RecoveryWaited(n)
    /\ observer' = [n \in Nodes |-> IF n \notin lost THEN observer[n] ELSE
         [observer[n] EXCEPT !.read = Nodes \ {n},
                             !.seed = Largest({Clock} \cup {counter[m] : m \in Nodes})]]
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission
=============================================================================
