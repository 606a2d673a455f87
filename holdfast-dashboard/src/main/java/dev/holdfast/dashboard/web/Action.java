package dev.holdfast.dashboard.web;

/** What a route does. May block: it runs on one of the server's few threads, so not for long. */
@FunctionalInterface
public interface Action {
    /** Answers. What it throws is logged, and the browser is told only that something failed. */
    Reply answer(Request request) throws InterruptedException;
}
