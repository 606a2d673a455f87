package dev.holdfast.redis.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Answers as told: only for what a real server cannot be made to say. */
public final class StubServer implements AutoCloseable {
    private final ServerSocket entrance;
    private final UnaryOperator<String> answers;

    /** @param answers from the name of a command in upper case to the raw answer, without the last line end */
    public StubServer(UnaryOperator<String> answers) {
        this.answers = answers;
        try {
            entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(() -> {
            while (true) {
                Socket client = entrance.accept();
                daemon(() -> serve(client));
            }
        });
    }

    public String url() {
        return "redis://127.0.0.1:" + entrance.getLocalPort();
    }

    /** The answer to INFO of a server with this version. */
    public static String info(String version) {
        String text = "redis_version:" + version + "\r\nrun_id:stub\r\nredis_mode:standalone\r\n";
        return "$" + text.length() + "\r\n" + text;
    }

    private void serve(Socket client) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int words = Integer.parseInt(line.substring(1));
            String command = "";
            for (int i = 0; i < words; i++) {
                int length = Integer.parseInt(in.readLine().substring(1));
                char[] word = new char[length + 2];
                for (int read = 0; read < word.length; ) {
                    read += in.read(word, read, word.length - read);
                }
                command = i == 0 ? new String(word, 0, length) : command;
            }
            String answer = answers.apply(command.toUpperCase(Locale.ROOT)) + "\r\n";
            client.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
            client.getOutputStream().flush();
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException ended) {
                // The client hung up.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }
}
