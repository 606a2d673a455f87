package dev.holdfast.http;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/** A real servlet container on a port of its own, and a client for it. */
public final class WebServer implements AutoCloseable {
    /** Adds servlets and filters to an application that is starting. */
    public interface Application {
        void addTo(ServletContext context) throws ServletException;
    }

    private final Tomcat tomcat = new Tomcat();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder;

    public WebServer(Application application) {
        try {
            folder = Files.createTempDirectory("holdfast-http");
            tomcat.setBaseDir(folder.toString());
            tomcat.setPort(0);
            tomcat.getConnector().setProperty("address", "127.0.0.1");
            Context context = tomcat.addContext("", folder.toString());
            context.addServletContainerInitializer(
                    (classes, servletContext) -> application.addTo(servletContext), Set.of());
            tomcat.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path);
    }

    /** A request with these headers: a name and a value, and so on. */
    public HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).method(method, BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request.build());
    }

    public HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    /** With this token. */
    public HttpResponse<String> put(String path, String body, Object token) throws IOException, InterruptedException {
        return send("PUT", path, body, TokenHeader.NAME, token.toString());
    }

    /** With this token. */
    public HttpResponse<String> get(String path, Object token) throws IOException, InterruptedException {
        return send("GET", path, "", TokenHeader.NAME, token.toString());
    }

    @Override
    public void close() {
        try {
            tomcat.stop();
            tomcat.destroy();
            deleteFolder();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteFolder() throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
