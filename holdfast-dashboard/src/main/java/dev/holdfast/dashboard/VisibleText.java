package dev.holdfast.dashboard;

/** Texts that others chose, on one line: what cannot be seen as itself is written as {@code \\u202e}, as the page and the command do. */
final class VisibleText {
    private VisibleText() {}

    static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isSeen(point)) {
                shown.appendCodePoint(point);
            } else {
                for (char half : Character.toChars(point)) {
                    shown.append(String.format("\\u%04x", (int) half));
                }
            }
        });
        return shown.toString();
    }

    /** No control, no mark of direction or joining, no line of its own, no odd space, no letter that is blank. */
    private static boolean isSeen(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            case Character.SPACE_SEPARATOR -> point == ' ';
            default -> point != 0x115F && point != 0x1160 && point != 0x3164 && point != 0xFFA0 && point != 0x2800;
        };
    }
}
