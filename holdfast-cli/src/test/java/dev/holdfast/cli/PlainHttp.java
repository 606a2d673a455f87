package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;

/** A browser of few words: it keeps a cookie, and says where it comes from. */
final class PlainHttp {
    private static final int PATIENCE_MILLIS = 60_000;

    private final URI site;
    private final SocketFactory sockets;
    private String cookie = "";

    PlainHttp(URI site, SocketFactory sockets) {
        this.site = site;
        this.sockets = sockets;
    }

    record Answer(String text) {
        int status() {
            return Integer.parseInt(text.substring(9, 12));
        }

        /** A text of the answer's JSON. */
        String field(String name) {
            return PlainHttp.field(text, name);
        }
    }

    static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        assertThat(found.find()).as(name + " in " + json).isTrue();
        return found.group(1);
    }

    Answer get(String path) throws IOException {
        return ask("GET", path, "", "");
    }

    Answer post(String path, String token, String form) throws IOException {
        return ask("POST", path, token, form);
    }

    private Answer ask(String method, String path, String token, String form) throws IOException {
        try (Socket socket = send(method, path, token, form)) {
            Answer answer = new Answer(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            Matcher set = Pattern.compile("(?i)Set-Cookie: ([^;\r]+)").matcher(answer.text());
            cookie = set.find() ? set.group(1) : cookie;
            return answer;
        }
    }

    /** The first line of the stream that has this in it. */
    String firstEvent(String path, String part) throws IOException {
        try (Socket socket = send("GET", path, "", "");
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            return lines.lines().filter(line -> line.contains(part)).findFirst().orElseThrow();
        }
    }

    private Socket send(String method, String path, String token, String form) throws IOException {
        Socket socket = sockets.createSocket(site.getHost(), site.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        String request = method + " " + path + " HTTP/1.1\r\nHost: " + site.getAuthority() + "\r\nOrigin: "
                + site.getScheme() + "://" + site.getAuthority() + "\r\nConnection: close\r\nX-Holdfast-Token: " + token
                + "\r\nCookie: " + cookie + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
                + form.length() + "\r\n\r\n" + form;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        return socket;
    }
}
