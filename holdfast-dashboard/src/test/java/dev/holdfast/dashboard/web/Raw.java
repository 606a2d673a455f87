package dev.holdfast.dashboard.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Requests with any headers and paths, which proper clients refuse to send. */
public final class Raw {
    private static final int PATIENCE_MILLIS = 60_000;

    private final URI site;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String body = "";

    private Raw(URI site) {
        this.site = site;
        headers.put("Host", site.getAuthority());
        headers.put("Connection", "close");
    }

    public static Raw to(URI site) {
        return new Raw(site);
    }

    public Raw with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    public Raw without(String header) {
        headers.remove(header);
        return this;
    }

    public Raw form(String form) {
        this.body = form;
        return with("Content-Type", "application/x-www-form-urlencoded");
    }

    /** A connection on which the request has been sent; the caller reads, or does not. */
    public Socket send(String method, String path) throws IOException {
        Socket socket = new Socket(site.getHost(), site.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        StringBuilder text = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        if (!body.isEmpty()) {
            text.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        text.append("\r\n").append(body);
        socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        return socket;
    }

    public Answer ask(String method, String path) throws IOException {
        try (Socket socket = send(method, path);
                InputStream in = socket.getInputStream()) {
            return new Answer(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    public Answer get(String path) throws IOException {
        return ask("GET", path);
    }

    /** All of it, as it came. */
    public record Answer(String text) {
        public int status() {
            return Integer.parseInt(text.substring(9, 12));
        }

        public String header(String name) {
            Matcher found = Pattern.compile("(?im)^" + name + ": (.*?)\r?$")
                    .matcher(text.substring(0, text.indexOf("\r\n\r\n")));
            return found.find() ? found.group(1) : "";
        }

        public String body() {
            return text.substring(text.indexOf("\r\n\r\n") + 4);
        }

        /** What the browser sends from now on. */
        public String cookie() {
            return header("Set-Cookie").replaceAll(";.*", "");
        }

        /** A text of the answer's JSON. */
        public String field(String name) {
            Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(body());
            return found.find() ? found.group(1) : "";
        }
    }
}
