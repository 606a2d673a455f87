------------------------------- MODULE Quorum -------------------------------
(* A lock over N independent nodes, with fencing tokens.

   A client asks every node for the lock (round 1). Each node that grants it answers with a value larger than any it has
   granted or stored before. The token is the largest of the answers, once a majority of all nodes stands at it; nodes
   that answered less are first raised to it (round 2). Two majorities share a node, a node serves one owner after the
   other, and the later one reads a counter that is at least the earlier one's token.

   A node that lost its memory would break the lock and that argument. It votes again only after it was admitted: when
   every round that may have counted on what it forgot is over, and its counter was raised to those of the others.

   Requests travel in a set: they arrive late, in any order, twice, or never. What can be promised without any clock, and
   what needs which clock, is the matter of the three constants about time. *)
EXTENDS Integers, FiniteSets

CONSTANTS
    Nodes,
    Owners,           \* claims for a lock. An owner is never used for a second tenure
    NameOf(_),        \* the lock, or the slot of a semaphore, an owner wants. All of them share one counter per node: one bucket
    K(_),             \* how many tokens an owner's tenure needs
    Lease(_),         \* 1, or more if it is longer than the nodes accept at first
    Rounds(_),        \* how often an owner may ask all nodes for the lock
    Renewals,         \* how often it may renew
    Top,              \* no node grants a value beyond this: bounds the search, not the protocol
    Spread,           \* counters start anywhere in 0..Spread, as if there had been a past
    Repeats,          \* how many requests arrive a second time
    Losses,           \* how many times nodes lose their memory
    NodesKeepTime,    \* no lock expires before the validity that counts on it; otherwise it may expire at any time
    ClientsKeepTime,  \* nothing is handed out after its validity, and who waits for a lease to pass waits that long
    ClocksTellOrder   \* after a mass restart, the nodes' clocks are ahead of every token

ASSUME NodesKeepTime => ClientsKeepTime
ASSUME Losses > 0 => ClientsKeepTime

VARIABLES
    counter,   \* per node: at least every value it has granted or was raised to
    lock,      \* per node and name: who holds it there
    record,    \* per node: whether it votes
    requests,  \* on their way to a node
    replies,   \* on their way to a client, or there: a client may act on any part of them
    claim,     \* per owner: what its client is doing
    observer,  \* per node: somebody who waits to readmit it
    repeats,   \* so far
    losses     \* so far; also serves as a nonce

atNodes == <<counter, lock, record>>
onTheWire == <<requests, replies>>
vars == <<atNodes, onTheWire, claim, observer, repeats, losses>>

-----------------------------------------------------------------------------
Largest(numbers) == CHOOSE x \in numbers : \A y \in numbers : y <= x
Max(x, y) == IF x > y THEN x ELSE y

Names == {NameOf(o) : o \in Owners}
LongestLease == Largest({Lease(o) : o \in Owners})

(* `round` is the owner's round that the grant belongs to. `armed` is no part of the protocol: it tells until when, at
   least, the lock is not going to expire. *)
Nobody == 0
Free == [owner |-> Nobody, round |-> 0, value |-> 0, armed |-> 0]

(* The nodes that an owner's client knows. The same for all, but where a configuration is about clients that disagree. *)
ListOf(o) == Nodes
Lists == {ListOf(o) : o \in Owners}

(* ▲ A majority of N. Majorities of the nodes that granted need not share a node. *)
Enough(list, standing, granting) == 2 * Cardinality(standing) > Cardinality(list)

(* ▲ The tokens of a tenure end at T. If they began there, the next tenure, which leaves room for its own K only, would
   begin inside a block longer than its own. *)
First(o, t) == t - K(o) + 1
Last(o, t) == t

-----------------------------------------------------------------------------
(* Time, without numbers. Validity is counted from before the first request of a round (or of a renewal) was sent. So while
   it lasts, no node that keeps time has let go of a lock that was armed since. *)
Busy == {"asking", "raising", "handed"}
Timers(o) == IF claim[o].phase \in Busy THEN {claim[o].timer, claim[o].renewal} \ {0} ELSE {}
Running == UNION {{<<o, timer>> : timer \in Timers(o)} : o \in Owners}
Latest(o) == Max(claim[o].timer, claim[o].renewal)
MayHaveExpired(l) == IF NodesKeepTime /\ l # Free THEN l.armed \notin Timers(l.owner) ELSE TRUE

-----------------------------------------------------------------------------
(* What a node does: one atomic step per request. It refuses by doing nothing, and that it says so changes nothing here: a
   client may give up at any time. *)
Admitted(n) == record[n].state = "admitted"

(* ▲ A node is bound to a list, and serves nobody else: majorities of two lists need not share a node. *)
BelongsTo(n, list) == record[n].list = list

Ours(here, m) == here.owner = m.owner

(* ▲ A request overtaken by one of a later round is void, or it would take back the later round's number. *)
AcquireHolds(here, m) == Ours(here, m) /\ m.round >= here.round

(* ▲ Present and ours: the grant now belongs to the later round. *)
Again(here, m) == [here EXCEPT !.round = m.round, !.armed = Latest(m.owner)]

(* ▲ The stored value tells this grant from another that the same request, arriving twice, got here after the first had
   expired and others had come and gone. ● T is allowed too, for a raise that is sent again. *)
RaiseHolds(here, m) == Ours(here, m) /\ here.value \in {m.answered, m.token}

(* ▲ A late undo must not take the grant of the owner's next round. *)
UndoHolds(here, m) == Ours(here, m) /\ here.round <= m.round

RenewHolds(here, m) == Ours(here, m) /\ here.value = m.token

(* ▲ A grant that is left of an earlier round may be renewed, but then it belongs to the round that won: its undo may still
   be on the way. *)
Renewing(here, m) == [here EXCEPT !.round = Max(@, m.won), !.armed = Latest(m.owner)]

(* ▲ A longer lease than the record admits would outlast the wait of those who readmit another node. *)
Accepts(n, o) == Lease(o) <= record[n].longest

(* Proposals of clients, the node's clock and grants of other names can all make the value larger, and nothing else. *)
Values(n, o) == (counter[n] + K(o)) .. Top

(* ▲ A slot of a semaphore is a lock of its own, and a request is about that slot. Votes for any slot, counted together, would
   let in more holders than there are slots. *)
Wanted(m) == NameOf(m.owner)

Here(m) == lock[m.node][Wanted(m)]
Store(m, l) == lock' = [lock EXCEPT ![m.node][Wanted(m)] = l]
Reply(m, value, heard) ==
    replies' = IF heard THEN replies \cup {[owner |-> m.owner, round |-> m.round, node |-> m.node, value |-> value]}
                        ELSE replies

Acquire(m, heard) ==
    /\ Accepts(m.node, m.owner)
    /\ UNCHANGED record
    /\ \/ /\ AcquireHolds(Here(m), m)
          /\ Store(m, Again(Here(m), m))
          /\ Reply(m, Here(m).value, heard)
          /\ UNCHANGED counter
       \/ /\ MayHaveExpired(Here(m))
          /\ \E value \in Values(m.node, m.owner) :
               /\ Store(m, [owner |-> m.owner, round |-> m.round, value |-> value, armed |-> Latest(m.owner)])
               /\ counter' = [counter EXCEPT ![m.node] = value]
               /\ Reply(m, value, heard)

Raise(m, heard) ==
    /\ RaiseHolds(Here(m), m)
    /\ Store(m, [Here(m) EXCEPT !.value = m.token])
    /\ counter' = [counter EXCEPT ![m.node] = Max(@, m.token)]
    /\ Reply(m, m.token, heard)
    /\ UNCHANGED record

Undo(m) ==
    /\ UndoHolds(Here(m), m)
    /\ Store(m, Free)
    /\ UNCHANGED <<counter, record, replies>>

Renew(m, heard) ==
    /\ RenewHolds(Here(m), m)
    /\ Store(m, Renewing(Here(m), m))
    /\ Reply(m, m.token, heard)
    /\ UNCHANGED <<counter, record>>

Lengthen(m, heard) ==
    /\ record' = [record EXCEPT ![m.node].longest = Max(@, Lease(m.owner))]
    /\ Reply(m, 0, heard)
    /\ UNCHANGED <<counter, lock>>

Arrives(m, heard) ==
    /\ Admitted(m.node) /\ BelongsTo(m.node, ListOf(m.owner))
    /\ CASE m.kind = "acquire"  -> Acquire(m, heard)
         [] m.kind = "raise"    -> Raise(m, heard)
         [] m.kind = "undo"     -> Undo(m)
         [] m.kind = "renew"    -> Renew(m, heard)
         [] m.kind = "lengthen" -> Lengthen(m, heard)
    /\ UNCHANGED <<claim, observer, losses>>

Deliver(m) ==
    /\ Arrives(m, TRUE)
    /\ \/ requests' = requests \ {m} /\ UNCHANGED repeats
       \/ repeats < Repeats /\ repeats' = repeats + 1 /\ UNCHANGED requests

-----------------------------------------------------------------------------
(* What a client does. *)
ToAll(kind, o, round) == {[kind |-> kind, owner |-> o, round |-> round, node |-> n] : n \in ListOf(o)}

Tenures(name) == {o \in Owners : NameOf(o) = name /\ claim[o].token > 0}
HighestHanded(name) == Largest({0} \cup {Last(o, claim[o].token) : o \in Tenures(name)})

(* ▲ Only answers to the round (or renewal) in question: an older one proves nothing about what the node holds now. *)
Heard(o, round) == {r \in replies : r.owner = o /\ r.round = round}
From(answers) == {r.node : r \in answers}
Standing(answers, t) == {r \in answers : r.value = t}

Forget(o) == replies' = {r \in replies : r.owner # o}
OnlyClients == UNCHANGED <<atNodes, observer, repeats, losses>>

AskLonger(o) ==
    /\ claim[o].phase = "idle" /\ Lease(o) > 1
    /\ claim' = [claim EXCEPT ![o].phase = "lengthening"]
    /\ requests' = requests \cup ToAll("lengthen", o, 0)
    /\ UNCHANGED replies /\ OnlyClients

(* ▲ A majority must know of a longer lease before anybody holds one. *)
MayAsk(o) == IF Lease(o) = 1 THEN claim[o].phase = "idle"
             ELSE claim[o].phase = "lengthening" /\ Enough(ListOf(o), From(Heard(o, 0)), From(Heard(o, 0)))

(* A claim for a semaphore may try several slots. Here each of them is an owner of its own; those of one claim belong together. *)
SameClaim(o) == {o}

(* ▲ One slot at a time: what was asked for before is given up first, and who has a slot does not ask for another, whatever it
   is told. *)
OneAtATime(o) == \A p \in SameClaim(o) \ {o} : claim[p].phase \notin Busy

Ask(o, round) ==
    claim' = [claim EXCEPT ![o] = [@ EXCEPT !.phase = "asking", !.round = round, !.timer = round, !.goal = 0,
                                            !.floor = HighestHanded(NameOf(o))]]

Begin(o) ==
    /\ MayAsk(o) /\ OneAtATime(o)
    /\ Ask(o, 1)
    /\ requests' = requests \cup ToAll("acquire", o, 1)
    /\ Forget(o) /\ OnlyClients

(* Give up, undo everywhere, ask again at once: the nodes get to see that in any order. *)
Retry(o) ==
    LET round == claim[o].round IN
    /\ claim[o].phase \in {"asking", "raising"}
    /\ round < Rounds(o)
    /\ Ask(o, round + 1)
    /\ requests' = requests \cup ToAll("undo", o, round) \cup ToAll("acquire", o, round + 1)
    /\ Forget(o) /\ OnlyClients

(* ▲ Only nodes whose grant was seen can be asked to raise it, and ▲ only upwards: a node that answered more than the goal
   has served others since, perhaps at that very goal. *)
MayRaise(r, goal) == r.value < goal
RaiseRequests(o, answers, goal) ==
    {[kind |-> "raise", owner |-> o, round |-> r.round, node |-> r.node, answered |-> r.value, token |-> goal]
        : r \in {s \in answers : MayRaise(s, goal)}}

(* Round 2, on any majority of the answers that are there: the client does not wait for the rest. *)
BeginRaise(o) ==
    /\ claim[o].phase = "asking"
    /\ \E considered \in SUBSET Heard(o, claim[o].round) :
        LET goal == Largest({r.value : r \in considered}) IN
        /\ Enough(ListOf(o), From(considered), From(considered))
        /\ Cardinality(From(considered)) = Cardinality(considered)
        /\ \E r \in considered : r.value # goal
        /\ claim' = [claim EXCEPT ![o].phase = "raising", ![o].goal = goal]
        /\ requests' = requests \cup RaiseRequests(o, considered, goal)
    /\ UNCHANGED replies /\ OnlyClients

(* A grant that is seen later may still help. *)
RaiseLater(o) ==
    LET heard == Heard(o, claim[o].round) IN
    /\ claim[o].phase = "raising"
    /\ \E r \in heard :
        /\ claim[o].goal \notin {s.value : s \in {s \in heard : s.node = r.node}}
        /\ requests' = requests \cup RaiseRequests(o, {r}, claim[o].goal)
    /\ UNCHANGED <<claim, replies>> /\ OnlyClients

(* The order of tokens counts from here if all clocks keep their bound. Whatever the clocks do, it counts from where the
   token was asked for: an answer that is late enough is overtaken in every protocol. *)
HandOut(o) ==
    LET heard == Heard(o, claim[o].round) IN
    /\ claim[o].phase \in {"asking", "raising"}
    /\ \E t \in {r.value : r \in heard} :
        /\ claim[o].phase = "raising" => t = claim[o].goal
        /\ Enough(ListOf(o), From(Standing(heard, t)), From(heard))
        /\ claim' = [claim EXCEPT ![o] = [@ EXCEPT !.phase = "handed", !.token = t, !.goal = 0,
                        !.floor = IF NodesKeepTime THEN HighestHanded(NameOf(o)) ELSE @]]
    /\ UNCHANGED requests /\ Forget(o) /\ OnlyClients

BeginRenewal(o) ==
    LET number == claim[o].timer + 1 IN
    /\ claim[o].phase = "handed" /\ claim[o].renewal = 0
    /\ number <= claim[o].round + Renewals
    /\ claim' = [claim EXCEPT ![o].renewal = number]
    /\ requests' = requests \cup {[kind |-> "renew", owner |-> o, round |-> number, node |-> n,
                                  token |-> claim[o].token, won |-> claim[o].round] : n \in ListOf(o)}
    /\ UNCHANGED replies /\ OnlyClients

(* Validity is now counted from the renewal. *)
Renewed(o) ==
    LET heard == From(Heard(o, claim[o].renewal)) IN
    /\ claim[o].renewal > 0
    /\ Enough(ListOf(o), heard, heard)
    /\ claim' = [claim EXCEPT ![o].timer = claim[o].renewal, ![o].renewal = 0]
    /\ UNCHANGED requests /\ Forget(o) /\ OnlyClients

(* What an owner that is over has sent could still make counters larger and keep locks busy that nobody counts on. Others
   have to expect both anyway (larger values, a lock not yet free), so these requests are dropped. *)
StillOfUse(o) == {m \in requests : m.owner # o}

(* Validity is over, or the holder released: it stops before any node knows. *)
End(o) ==
    /\ ClientsKeepTime
    /\ claim[o].phase \in Busy
    /\ claim' = [claim EXCEPT ![o] = [@ EXCEPT !.phase = "over", !.goal = 0, !.renewal = 0]]
    /\ requests' = StillOfUse(o)
    /\ Forget(o) /\ OnlyClients
=============================================================================
