------------------------------ MODULE Protocol ------------------------------
(* All of it together, and what it promises. *)
EXTENDS Admission

Idle == [phase |-> "idle", round |-> 0, timer |-> 0, renewal |-> 0, goal |-> 0, token |-> 0, floor |-> 0]

NothingHappened ==
    /\ counter \in [Nodes -> 0..Spread]
    /\ lock = [n \in Nodes |-> [name \in Names |-> Free]]
    /\ requests = {}
    /\ observer = [n \in Nodes |-> NoObserver]
    /\ repeats = 0
    /\ losses = 0

FirstRecord(n) == Votes(Nodes, 1)

Init ==
    /\ NothingHappened
    /\ record = [n \in Nodes |-> FirstRecord(n)]
    /\ replies = {}
    /\ claim = [o \in Owners |-> Idle]

Client(o) ==
    \/ AskLonger(o) \/ Begin(o) \/ Retry(o) \/ BeginRaise(o) \/ RaiseLater(o) \/ HandOut(o)
    \/ BeginRenewal(o) \/ Renewed(o)
    \/ End(o)

Readmission ==
    \/ \E n \in Nodes : Meet(n) \/ Observe(n) \/ Admit(n) \/ \E m \in Nodes : Read(n, m)
    \/ \E lost \in SUBSET Nodes : Recover(lost)

Next ==
    \/ \E o \in Owners : Client(o)
    \/ \E m \in requests : Deliver(m)
    \/ \E n \in Nodes : Lose(n)
    \/ Readmission
    \/ \E n \in Nodes : Move(n) \/ Catch(n)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Block(o) == First(o, claim[o].token) .. Last(o, claim[o].token)

Unique == \A name \in Names : \A o, p \in Tenures(name) : o # p => Block(o) \cap Block(p) = {}

Ordered == \A o \in Owners : claim[o].token > 0 => First(o, claim[o].token) > claim[o].floor

(* At most one unexpired majority. *)
Exclusive ==
    \A o, p \in Owners : claim[o].phase = "handed" /\ claim[p].phase = "handed" /\ NameOf(o) = NameOf(p) => o = p

(* Of a semaphore: no more holders than slots, and no claim has two of them. *)
Handed == {o \in Owners : claim[o].phase = "handed"}
Permits == Cardinality(Handed) <= Cardinality(Names)
OneSlot == \A o, p \in Handed : p \in SameClaim(o) => o = p
=============================================================================
