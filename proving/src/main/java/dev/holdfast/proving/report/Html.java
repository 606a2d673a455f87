package dev.holdfast.proving.report;

/** Text for a page. */
final class Html {
    private Html() {}

    static String escape(Object text) {
        return String.valueOf(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
