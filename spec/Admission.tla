----------------------------- MODULE Admission -----------------------------
(* How a node that lost its memory comes to vote again.

   Of a restart, a failover and a FLUSHALL, the last is the hardest case and the one modelled: it leaves the node's identity
   as it was, so that older requests are served once the node was admitted again. *)
EXTENDS Quorum

Votes(list, longest) == [state |-> "admitted", nonce |-> 0, before |-> {}, longest |-> longest, list |-> list]
NoRecord == [state |-> "absent", nonce |-> 0, before |-> {}, longest |-> 0, list |-> {}]
NoObserver == [nonce |-> 0, before |-> {}, read |-> {}, seed |-> 0, longest |-> 1, list |-> {}]

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

(* A node that belongs to no list is bound to that of whoever meets it. If the list stands at a majority of its other nodes,
   the nonce says so: it is even. Otherwise there is only that client's word for it. *)
Stands(n, list) ==
    2 * Cardinality({m \in list \ {n} : Admitted(m) /\ BelongsTo(m, list)}) > Cardinality(list) - 1
Nonce(n, list) == 2 * losses + IF Stands(n, list) THEN 2 ELSE 1
OnlyAWord(n) == record[n].state = "pending" /\ record[n].nonce % 2 = 1

(* First contact, by the observer we follow or, if it still knows of an earlier record, by another; or the first since the
   list stands. *)
Meet(n) ==
    /\ \E list \in Lists :
        /\ n \in list
        /\ record[n].state = "absent" \/ (OnlyAWord(n) /\ record[n].list = list /\ Stands(n, list))
        /\ record' = [record EXCEPT ![n] = [@ EXCEPT !.state = "pending", !.nonce = Nonce(n, list), !.before = ClockStarts,
                                                   !.list = list]]
        /\ \/ observer' = [observer EXCEPT ![n] = [NoObserver EXCEPT !.nonce = Nonce(n, list), !.before = ClockStarts,
                                                                    !.list = list]]
           \/ observer[n] # NoObserver /\ UNCHANGED observer
    /\ UNCHANGED <<counter, losses>> /\ OnlyAdmission

Observe(n) ==
    /\ record[n].state = "pending"
    /\ record[n].nonce # observer[n].nonce
    /\ observer' = [observer EXCEPT ![n] = [NoObserver EXCEPT !.nonce = record[n].nonce, !.before = record[n].before,
                                                             !.list = record[n].list]]
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission

(* ▲ Rounds that ran when the node was met may rest on what it had promised before. *)
Waited(before, longest) == {t \in before : Lease(t[1]) <= longest} \cap Running = {}

(* ▲ A node that lost its memory itself has nothing to teach. *)
Teaches(m) == Admitted(m)
TeachesThere(m, list) == Teaches(m) /\ BelongsTo(m, list)

(* ▲ A wait that began before the list stood does not count: rounds of the list before may have begun since. *)
SinceItStands(n) == observer[n].nonce % 2 = 0

(* ▲ What the others know is read after the wait, or a round that runs meanwhile is missed. *)
MayRead(n, longest) == Waited(observer[n].before, longest)

(* ▲ How long to wait is recorded at the others. Who learns of a longer lease has read too early so far. *)
StillGood(n, longest) == IF longest > observer[n].longest THEN {} ELSE observer[n].read

(* One at a time: the others go on meanwhile. *)
Read(n, m) ==
    LET longest == Max(observer[n].longest, record[m].longest) IN
    /\ observer[n].nonce > 0
    /\ m \in observer[n].list \ {n} /\ m \notin observer[n].read
    /\ TeachesThere(m, observer[n].list)
    /\ SinceItStands(n)
    /\ MayRead(n, longest)
    /\ observer' = [observer EXCEPT ![n] = [@ EXCEPT !.read = StillGood(n, longest) \cup {m}, !.seed = Max(@, counter[m]),
                                                     !.longest = longest]]
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission

(* ▲ A majority of the others: a token that this node helped to make stands at half of the others at least. *)
Taught(n) == 2 * Cardinality(observer[n].read) > Cardinality(observer[n].list) - 1

(* ▲ The node may have been admitted by others, lost its memory again, and been met by somebody who began to wait later. *)
SameRecord(n) == record[n].nonce = observer[n].nonce

(* By our observer, or by another with the same knowledge; then ours does not notice, which matters if there is another loss
   to come. *)
Admit(n) ==
    /\ record[n].state = "pending"
    /\ SameRecord(n) /\ record[n].list = observer[n].list
    /\ Taught(n)
    /\ counter' = [counter EXCEPT ![n] = Max(@, observer[n].seed)]
    /\ record' = [record EXCEPT ![n] = Votes(observer[n].list, observer[n].longest)]
    /\ \/ observer' = [observer EXCEPT ![n] = NoObserver]
       \/ losses < Losses /\ UNCHANGED observer
    /\ UNCHANGED losses /\ OnlyAdmission

(* A majority lost its memory, so nobody can be taught by a majority of the others. What is left are the nodes' clocks and
   the longest lease that clients are configured with. *)
Granted == {0} \cup {counter[n] : n \in Nodes} \cup {r.value : r \in replies} \cup {claim[o].token : o \in Owners}
Clock == IF ClocksTellOrder THEN Largest(Granted) ELSE 0
RecoveryWaited(n) == Waited(observer[n].before, LongestLease)

(* ▲ Too few know the list, so every node on it has to be bound to it: any that is not may be part of another majority. *)
AllBound(list) == \A m \in list : BelongsTo(m, list)

Recover(lost) ==
    /\ \E list \in Lists :
        /\ lost \subseteq list /\ Enough(list, lost, lost)
        /\ AllBound(list)
        /\ \A n \in lost : observer[n].list = list
        /\ observer' = [n \in Nodes |-> IF n \notin lost THEN observer[n] ELSE
             [observer[n] EXCEPT !.read = list \ {n},
                                 !.seed = Largest({Clock} \cup {counter[m] : m \in list})]]
    /\ \A n \in lost : record[n].state = "pending" /\ SameRecord(n) /\ RecoveryWaited(n)
    /\ UNCHANGED <<counter, record, losses>> /\ OnlyAdmission

-----------------------------------------------------------------------------
(* One node in the place of another. Those that stay are bound to the new list, one at a time and without losing anything,
   by an operator who may stop halfway. The newcomer is met like a node that lost its memory. *)
Successor(list) == list

Move(n) ==
    LET new == Successor(record[n].list) IN
    /\ record[n].state # "absent"
    /\ new # record[n].list /\ n \in new
    /\ record' = [record EXCEPT ![n].list = new]
    /\ UNCHANGED <<counter, observer, losses>> /\ OnlyAdmission

(* A node that missed it is met anew: what it knows may be as old as its list. *)
Catch(n) ==
    LET new == Successor(record[n].list) IN
    /\ record[n].state # "absent"
    /\ new # record[n].list /\ n \in new /\ Stands(n, new)
    /\ record' = [record EXCEPT ![n] = [NoRecord EXCEPT !.state = "pending", !.nonce = Nonce(n, new),
                                                      !.before = ClockStarts, !.list = new]]
    /\ UNCHANGED <<counter, observer, losses>> /\ OnlyAdmission
=============================================================================
