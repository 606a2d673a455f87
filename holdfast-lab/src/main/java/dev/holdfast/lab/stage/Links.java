package dev.holdfast.lab.stage;

import dev.holdfast.lab.machine.Link;
import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.RedisServer;
import dev.holdfast.lab.wire.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A link from each client to each server. For one thread at a time, but for {@link #withNames}. */
public final class Links {
    private final Board board;
    private final List<List<Link>> all = new ArrayList<>();

    Links(Machine machine, List<RedisServer> servers, Board board) throws IOException {
        this.board = board;
        for (String ignored : Stage.CLIENTS) {
            List<Link> ways = new ArrayList<>();
            for (RedisServer server : servers) {
                ways.add(machine.link(server));
            }
            all.add(List.copyOf(ways));
            board.change(() -> board.links.add(new boolean[Stage.SERVERS]));
        }
    }

    /** Where this client finds each server. */
    List<Integer> ports(int client) {
        return all.get(client).stream().map(Link::port).toList();
    }

    public void cut(int client, int server) throws IOException {
        set(client, server, false);
        all.get(client).get(server).cut();
    }

    /** The link to a dead server is mended when the server is back. */
    public void mend(int client, int server) throws IOException {
        if (board.read(() -> board.servers.get(server).condition != ServerView.Condition.DOWN)) {
            all.get(client).get(server).mend();
        }
        set(client, server, true);
    }

    private void set(int client, int server, boolean whole) {
        board.change(() -> {
            boolean before = board.links.get(client)[server];
            board.links.get(client)[server] = whole;
            if (before && !whole) {
                String line = String.format(Locale.ROOT, "its link to server %d is cut", server + 1);
                board.log("client " + Stage.CLIENTS.get(client), "fault", line);
            }
        });
    }

    /** Nobody answers at a dead server, and nobody may seem to. */
    void serverEnded(int server) throws IOException {
        for (List<Link> ways : all) {
            ways.get(server).cut();
        }
    }

    /** Those that are not cut lead there again. */
    void serverStarted(int server) throws IOException {
        for (int i = 0; i < all.size(); i++) {
            boolean[] whole = board.links.get(i);
            if (board.read(() -> whole[server])) {
                all.get(i).get(server).mend();
            }
        }
    }

    /** Clients know the addresses of links; people know the numbers of servers. */
    Message withNames(Message message) {
        Map<String, String> values = new HashMap<>(message.values());
        values.replaceAll((name, value) -> {
            String text = value;
            for (List<Link> ways : all) {
                for (int i = 0; i < ways.size(); i++) {
                    text = text.replace("127.0.0.1:" + ways.get(i).port(), "server " + (i + 1));
                }
            }
            return text;
        });
        return new Message(message.what(), values);
    }

    void close() throws IOException {
        for (List<Link> ways : all) {
            for (Link link : ways) {
                link.close();
            }
        }
    }
}
