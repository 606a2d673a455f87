---- MODULE RaiseOnlyOnce ----
(* A node refuses a raise that it has carried out already.
   Configuration: Progress. Violates: Acquired. *)
EXTENDS Model

MutatedRaiseHolds(here, m) == Ours(here, m) /\ here.value = m.answered
====
