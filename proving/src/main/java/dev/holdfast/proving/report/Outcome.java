package dev.holdfast.proving.report;

import dev.holdfast.proving.check.History;
import dev.holdfast.proving.check.Verdict;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.subject.Subject;

/** What became of one subject in one trial. */
public record Outcome(Subject subject, PlannedTrial trial, History history, Verdict verdict) {}
