package dev.holdfast.spi;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one place where passwords are taken out of texts. Whatever leaves the process (messages and causes of exceptions,
 * log lines, findings, labels of stores) goes through it; Holdfast's own exceptions do so by themselves.
 *
 * <p>Where a text can be read in two ways, more is masked rather than less: a host name that is hidden costs a look at the
 * configuration, a password that is shown costs a new password.
 */
public final class Secrets {
    private static final String MASK = "***";

    /**
     * Everything between {@code ://} and the last {@code @} of the word: a password may itself contain {@code @}, {@code /}
     * or {@code ;}, and {@code redis://secret@host} has a password and no user. Our own messages say what a URL looks like.
     */
    private static final Pattern USER_INFO =
            Pattern.compile("(://)(?!user:password@[^\\s'\"<>@]*(?:[\\s'\"<>]|$))[^\\s'\"<>]*@");

    /** {@code jdbc:oracle:thin:user/password@host}. */
    private static final Pattern ORACLE = Pattern.compile("(?i)(jdbc:oracle:[a-z]+:)[^\\s'\"<>@]*@");

    /**
     * A value ends where the next parameter begins, so that {@code ;} and {@code &} inside a password hide nothing. The path of a
     * {@code password-file} is no password.
     */
    private static final Pattern PARAMETER =
            Pattern.compile("(?i)([\\w.-]*(?:password|passwd|passphrase|pwd|secret|credential)[\\w.-]*(?<!-file)=)"
                    + "(?:\\{[^}]*\\}|[^\\s'\"<>]*?(?=[&;,][A-Za-z][\\w.-]*=|[\\s'\"<>]|$))");

    private Secrets() {}

    /** The text with every password replaced by three asterisks. */
    public static String mask(String text) {
        if (text.indexOf('@') < 0 && text.indexOf('=') < 0) {
            return text;
        }
        String masked = USER_INFO.matcher(text).replaceAll("$1" + MASK + "@");
        masked = ORACLE.matcher(masked).replaceAll("$1" + MASK + "@");
        return PARAMETER.matcher(masked).replaceAll("$1" + MASK);
    }

    /**
     * The failure itself if it shows no password, nor any of its causes; otherwise a stand-in that prints the same, with
     * the passwords masked: the message of somebody else's exception cannot be changed.
     */
    public static Throwable mask(Throwable failure) {
        return shows(failure, seen()) ? standIn(failure) : failure;
    }

    /** An exception that prints like this one and its causes, with the passwords masked, and holds nothing but texts. */
    public static Throwable standIn(Throwable failure) {
        return standIn(failure, seen());
    }

    private static Set<Throwable> seen() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private static boolean shows(@Nullable Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        String text = failure.toString();
        if (!mask(text).equals(text) || shows(failure.getCause(), seen)) {
            return true;
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (shows(suppressed, seen)) {
                return true;
            }
        }
        return false;
    }

    private static Throwable standIn(Throwable failure, Set<Throwable> seen) {
        seen.add(failure);
        Throwable cause = failure.getCause();
        Throwable masked = new Masked(failure, cause == null || seen.contains(cause) ? null : standIn(cause, seen));
        for (Throwable suppressed : failure.getSuppressed()) {
            if (!seen.contains(suppressed)) {
                masked.addSuppressed(standIn(suppressed, seen));
            }
        }
        return masked;
    }

    /** Prints like the exception that it stands for. */
    private static final class Masked extends Exception {
        private static final long serialVersionUID = 1L;

        private final String text;

        Masked(Throwable original, @Nullable Throwable cause) {
            super(original.getMessage() == null ? null : mask(original.getMessage()), cause);
            this.text = mask(original.toString());
            setStackTrace(original.getStackTrace());
        }

        @Override
        @SuppressWarnings("OverrideThrowableToString") // The class name that is printed is the original's.
        public String toString() {
            return text;
        }
    }
}
