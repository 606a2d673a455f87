-------------------------------- MODULE Model --------------------------------
(* What the configurations choose from, and the two properties that are about getting on rather than about safety. *)
EXTENDS Protocol, TLC

CONSTANTS o1, o2, o3

OneName(o) == "a"
TwoNames(o) == IF o = o3 THEN "b" ELSE "a"
TwoSlots(o) == IF o = o2 THEN "b" ELSE "a"
TriesBoth(o) == IF o = o3 THEN {o3} ELSE {o1, o2}
OneToken(o) == 1
MixedTokens(o) == IF o = o1 THEN 2 ELSE 1
OneLease(o) == 1
MixedLeases(o) == IF o = o1 THEN 2 ELSE 1
OneRound(o) == 1
FirstRetries(o) == IF o = o1 THEN 2 ELSE 1

(* To see that nothing is missed by dropping the requests of owners that are over. *)
AllRequests(o) == requests

NodesAlike == Permutations(Nodes)
AllAlike == Permutations(Nodes) \cup Permutations(Owners)

-----------------------------------------------------------------------------
(* The first owner was told that its longer lease is recorded. Either the nodes know it, or they have all restarted since. *)
Told(longest) ==
    /\ NothingHappened
    /\ record = [n \in Nodes |-> Votes(Nodes, longest)]
    /\ claim = [o \in Owners |-> [Idle EXCEPT !.phase = IF o = o1 THEN "lengthening" ELSE @]]
    /\ replies = {[owner |-> o1, round |-> 0, node |-> n, value |-> 0] : n \in Nodes}
LengthKnown == Told(2) /\ [][Next]_vars
LengthForgotten == Told(1) /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The node has done what was asked, its answer is lost, and the client sends the request again. *)
Unheard(m) ==
    /\ repeats < Repeats
    /\ Arrives(m, FALSE)
    /\ repeats' = repeats + 1
    /\ UNCHANGED requests

Try == \E o \in Owners : Begin(o) \/ BeginRaise(o) \/ RaiseLater(o) \/ HandOut(o)
Answered == \E m \in requests : Deliver(m)

(* Nobody else wants the lock, nothing expires, and a request sent often enough is answered in the end. *)
Undisturbed ==
    /\ Init /\ [][Try \/ Answered \/ \E m \in requests : Unheard(m)]_vars
    /\ WF_vars(Try) /\ WF_vars(Answered)
Acquired == <>(\A o \in Owners : claim[o].phase = "handed")

(* More want a slot than there are, and whoever gets one keeps it. *)
Crowd == Init /\ [][Try \/ Answered]_vars

(* Nodes lose their memory, a few times and any number at once; leases end; somebody is there to observe. *)
Attended == Spec /\ WF_vars(Readmission) /\ \A o \in Owners : WF_vars(End(o))
Voting == <>[](\A n \in Nodes : Admitted(n))
=============================================================================
