---- MODULE ListNotCompared ----
(* A node serves clients with any list, and teaches nodes of any list.
   Configuration: TwoLists. Violates: Exclusive. *)
EXTENDS Lists

MutatedBelongsTo(n, list) == record[n].state # "absent"
====
