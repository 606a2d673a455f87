---- MODULE OldRecordTrusted ----
(* A node votes as soon as it is back: its old record is believed.
   Configuration: Loss. Violates: Exclusive. *)
EXTENDS Model

MutatedRecordAfterLoss(n) == record[n]
====
