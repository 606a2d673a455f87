-------------------------------- MODULE Lists --------------------------------
(* Clients that do not list the same nodes: the first owner's has the third node, the second owner's the fourth in its place. *)
EXTENDS Model

CONSTANTS n1, n2, n3, n4

FirstList == {n1, n2, n3}
SecondList == {n1, n2, n4}
OneOfTwo(o) == IF o = o1 THEN FirstList ELSE SecondList

(* The fourth node is new, and the others have the first list. *)
TheFourthIsNew(n) == IF n = n4 THEN NoRecord ELSE Votes(FirstList, 1)

(* Nobody has a list yet. *)
AllAreNew(n) == NoRecord

(* An operator replaces the third by the fourth. *)
Replaced(list) == IF list = FirstList THEN SecondList ELSE list

SharedAlike == Permutations({n1, n2})
=============================================================================
