---- MODULE VotesCounted ----
(* A node gives its vote for whichever slot is free there, and votes for different slots are counted together.
   Configuration: Permits. Violates: Permits. *)
EXTENDS Model

MutatedWanted(m) ==
    LET here == lock[m.node]
        mine == {slot \in Names : here[slot].owner = m.owner}
        free == {slot \in Names : MayHaveExpired(here[slot])}
    IN IF mine # {} THEN CHOOSE slot \in mine : TRUE
       ELSE IF free # {} THEN CHOOSE slot \in free : TRUE
       ELSE NameOf(m.owner)
====
