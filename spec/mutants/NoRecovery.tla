---- MODULE NoRecovery ----
(* A node is taught by a majority of the others or not at all.
   Configuration: Return. Violates: Voting. *)
EXTENDS Model

MutatedRecover(lost) == FALSE
====
