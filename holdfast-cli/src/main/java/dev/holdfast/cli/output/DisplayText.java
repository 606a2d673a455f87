package dev.holdfast.cli.output;

/**
 * Makes texts safe to print. Others choose names, hosts and descriptions: these must not control this terminal, start a new
 * line, or change the direction of the text next to them.
 */
public final class DisplayText {
    private DisplayText() {}

    /** On one line, whatever is in it, and without passwords. */
    public static String text(String text) {
        return escape(Passwords.mask(text));
    }

    /** As a cell of a table: what could be taken for the gap before the next column is shown, too. */
    public static String cell(String text) {
        String line = text(text);
        StringBuilder cell = new StringBuilder(line.length());
        for (int i = 0; i < line.length(); i++) {
            boolean plain = line.charAt(i) != ' '
                    || (i > 0 && i < line.length() - 1 && line.charAt(i - 1) != ' ' && line.charAt(i + 1) != ' ');
            cell.append(plain ? String.valueOf(line.charAt(i)) : "\\u0020");
        }
        return cell.toString();
    }

    private static String escape(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isPlain(point)) {
                shown.appendCodePoint(point);
            } else if (point == '\n') {
                shown.append("\\n");
            } else {
                for (char half : Character.toChars(point)) {
                    shown.append(escaped(half));
                }
            }
        });
        return shown.toString();
    }

    /** As Java and JSON write it. */
    static String escaped(char c) {
        return String.format("\\u%04x", (int) c);
    }

    /** Whether it is seen as itself: no control, no mark of direction or joining, no line of its own, no odd space. */
    static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            case Character.SPACE_SEPARATOR -> point == ' ';
            default -> !isBlank(point);
        };
    }

    /** Letters by category, and nothing to see. */
    private static boolean isBlank(int point) {
        return point == 0x115F || point == 0x1160 || point == 0x3164 || point == 0xFFA0 || point == 0x2800;
    }
}
