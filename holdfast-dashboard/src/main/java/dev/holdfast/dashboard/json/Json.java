package dev.holdfast.dashboard.json;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/** Maps, lists, texts, numbers and truth values, written as JSON on one line. */
public final class Json {
    private final StringBuilder text = new StringBuilder();
    private final UnaryOperator<String> masked;
    private final IntPredicate plain;

    private Json(UnaryOperator<String> masked, IntPredicate plain) {
        this.masked = masked;
        this.plain = plain;
    }

    /** For programs: everything that is not ASCII is escaped. */
    public static String of(Object value) {
        return of(value, text -> text, point -> point >= ' ' && point <= '~');
    }

    /**
     * For programs and people.
     *
     * @param masked what a text becomes before it is written
     * @param plain which characters are written as they are. Quotation marks and backslashes are escaped in any case, and so is
     *     what needs two units of UTF-16
     */
    public static String of(Object value, UnaryOperator<String> masked, IntPredicate plain) {
        Json json = new Json(masked, plain);
        json.write(value);
        return json.text.toString();
    }

    private void write(Object value) {
        if (value instanceof Map<?, ?> map) {
            writeMap(map);
        } else if (value instanceof List<?> list) {
            text.append('[');
            for (Iterator<?> each = list.iterator(); each.hasNext(); ) {
                write(each.next());
                text.append(each.hasNext() ? "," : "");
            }
            text.append(']');
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            writeText(value.toString());
        }
    }

    private void writeMap(Map<?, ?> map) {
        text.append('{');
        for (Iterator<? extends Map.Entry<?, ?>> each = map.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<?, ?> entry = each.next();
            writeText(entry.getKey().toString());
            text.append(':');
            write(entry.getValue());
            text.append(each.hasNext() ? "," : "");
        }
        text.append('}');
    }

    private void writeText(String value) {
        text.append('"');
        masked.apply(value).codePoints().forEach(point -> {
            if (point == '"' || point == '\\') {
                text.append('\\').append((char) point);
            } else if (point >= ' ' && Character.isBmpCodePoint(point) && plain.test(point)) {
                text.append((char) point);
            } else {
                // Half a surrogate pair stays what it is.
                for (char half : Character.toChars(point)) {
                    text.append(String.format("\\u%04x", (int) half));
                }
            }
        });
        text.append('"');
    }
}
