package dev.holdfast.proving.check;

/** What must not happen. */
public enum Rule {
    OVERLAP("two held it", "Two believed to hold the lock at the same time"),
    TOKEN_ORDER("token order", "A later grant had no larger token, or one was given twice"),
    LOST_WRITE(
            "lost writes",
            "A write that the resource had acknowledged was overwritten by somebody who had not seen it"),
    SILENT_LOSS(
            "never told",
            "A holder whose lock had gone to somebody else was never told, not even when it gave the lock back"),
    LATE_NOTICE("told late", "A holder whose lock had gone to somebody else was told later than a lease and a second"),
    STUCK(
            "stuck",
            "Nobody got a free lock, or a call did not come back, for a lease and a second after the fault was over"),
    LEFT_BEHIND(
            "left behind",
            "The lock stayed taken after everybody had given it back, for longer than a lease and a second"),
    WRONG_ANSWER("wrong answer", "\"Busy\" was said by a client that could not reach the store");

    private final String title;
    private final String sentence;

    Rule(String title, String sentence) {
        this.title = title;
        this.sentence = sentence;
    }

    public String title() {
        return title;
    }

    public String sentence() {
        return sentence;
    }
}
