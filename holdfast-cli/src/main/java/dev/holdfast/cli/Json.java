package dev.holdfast.cli;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Maps, lists, texts, numbers and truth values, written as JSON on one line. */
final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    static String of(Object value) {
        Json json = new Json();
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
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                // Escaped, half a surrogate pair stays what it is.
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
