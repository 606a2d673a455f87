package dev.holdfast.http;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.redis.RedisBackend;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that reads under a lock, prepares its write, and sends it when it is told to by a line of input. */
public final class LateHolder {
    private LateHolder() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        URI uri = URI.create(arguments[1]);
        HttpClient client = HttpClient.newHttpClient();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Holdfast holdfast = Holdfast.over(RedisBackend.builder(arguments[0])
                        .commandTimeout(Duration.ofSeconds(20))
                        .connect());
                Lease lease = holdfast.lock("order-7")
                        .withLease(Duration.ofSeconds(6))
                        .acquire(Duration.ofSeconds(60))) {
            HttpRequest read =
                    HoldfastHeaders.add(HttpRequest.newBuilder(uri), lease).build();
            String content = client.send(read, BodyHandlers.ofString()).body();
            HttpRequest.Builder write = HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofString(content + ", late"));
            HttpRequest prepared = HoldfastHeaders.add(write, lease).build();
            System.out.println("prepared");
            input.readLine();
            System.out.println(
                    "answered " + client.send(prepared, BodyHandlers.ofString()).statusCode());
            try {
                HoldfastHeaders.add(write, lease);
                System.out.println("would send again");
            } catch (HoldfastException e) {
                System.out.println("would not send again: " + e.getClass().getSimpleName());
            }
        }
    }
}
