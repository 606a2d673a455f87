package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Script;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A command in the form in which it travels. */
final class Frame implements Request.Content {
    /** What most commands fit in. */
    private static final int USUAL_BYTES = 512;

    private static final int MOST_DIGITS = 10;
    private static final Map<Script, byte[]> RUN = new EnumMap<>(Script.class);

    static {
        for (Script script : Script.values()) {
            Frame run = new Frame();
            run.word("EVALSHA");
            run.word(script.sha());
            RUN.put(script, Arrays.copyOf(run.bytes, run.size));
        }
    }

    private byte[] bytes = new byte[USUAL_BYTES];
    private int size;

    private Frame() {}

    /** A command and what comes after it. */
    static Frame of(String command, String... arguments) {
        Frame frame = new Frame();
        frame.begin('*', 1 + arguments.length);
        frame.word(command);
        frame.words(arguments);
        return frame;
    }

    /** A script that the server knows. */
    static Frame run(Script script, String[] keys, String[] arguments) {
        Frame frame = new Frame();
        frame.begin('*', 3 + keys.length + arguments.length);
        frame.put(Objects.requireNonNull(RUN.get(script)));
        frame.rest(keys, arguments);
        return frame;
    }

    /** A script that the server is to know from now on. */
    static Frame teach(Script script, String[] keys, String[] arguments) {
        Frame frame = new Frame();
        frame.begin('*', 3 + keys.length + arguments.length);
        frame.word("EVAL");
        frame.word(script.source());
        frame.rest(keys, arguments);
        return frame;
    }

    private void rest(String[] keys, String[] arguments) {
        word(Integer.toString(keys.length));
        words(keys);
        words(arguments);
    }

    private void words(String[] words) {
        for (String word : words) {
            word(word);
        }
    }

    private void word(String word) {
        if (!plainWord(word)) {
            byte[] text = word.getBytes(StandardCharsets.UTF_8);
            begin('$', text.length);
            put(text);
        }
        endLine();
    }

    /** Nearly all words are ASCII, and are written without a copy in between. False, and nothing written: this one is not. */
    private boolean plainWord(String word) {
        int before = size;
        int length = word.length();
        begin('$', length);
        reserve(length + 2);
        for (int i = 0; i < length; i++) {
            char c = word.charAt(i);
            if (c >= 0x80) {
                size = before;
                return false;
            }
            bytes[size + i] = (byte) c;
        }
        size += length;
        return true;
    }

    private void begin(char kind, int number) {
        reserve(1 + MOST_DIGITS + 2);
        bytes[size++] = (byte) kind;
        int end = size + digits(number);
        int left = number;
        for (int at = end - 1; at >= size; at--) {
            bytes[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        size = end;
        endLine();
    }

    private static int digits(int number) {
        int digits = 1;
        for (int left = number / 10; left > 0; left /= 10) {
            digits++;
        }
        return digits;
    }

    private void endLine() {
        bytes[size++] = '\r';
        bytes[size++] = '\n';
    }

    private void put(byte[] text) {
        reserve(text.length + 2);
        System.arraycopy(text, 0, bytes, size, text.length);
        size += text.length;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    @Override
    public Frame frame() {
        return this;
    }

    void writeTo(ByteBuf out) {
        out.writeBytes(bytes, 0, size);
    }
}
