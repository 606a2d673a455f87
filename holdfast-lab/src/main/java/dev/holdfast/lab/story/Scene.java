package dev.holdfast.lab.story;

import dev.holdfast.lab.stage.AccountView;
import dev.holdfast.lab.stage.Board;
import dev.holdfast.lab.stage.LaneView;
import dev.holdfast.lab.stage.LaneView.State;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * What a story has at hand: orders to clients on the locks that take part, sentences for the visitor, conditions to wait for, facts for
 * the end. Used by the thread of the {@link Director}.
 */
final class Scene {
    static final int A = 0;
    static final int B = 1;
    static final int C = 2;

    /** Far longer than anything takes: a story that waits in vain says what for. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    final Stage stage;
    final Board board;
    /** Holdfast's, and the plain lock if the visitor wants to see it. */
    final List<Lane> lanes;

    private final Duration pace;
    private final Playing playing;
    private final List<Fact> facts = new ArrayList<>();

    Scene(Stage stage, List<Lane> lanes, Duration pace, Playing playing) {
        this.stage = stage;
        this.board = stage.board();
        this.lanes = lanes;
        this.pace = pace;
        this.playing = playing;
    }

    /** What happens now. A visitor gets time to read it. */
    void tell(String sentence) throws InterruptedException {
        playing.tell(sentence);
        Thread.sleep(pace.toMillis());
    }

    /** A lease that is not over before the visitor has read so many sentences. */
    Duration lease(Duration shortest, int sentences) {
        return shortest.plus(pace.multipliedBy(sentences));
    }

    boolean isGuarded() {
        return board.read(() -> board.guarded);
    }

    // ---- orders

    LaneView view(int client, Lane lane) {
        return board.clients.get(client).lane(lane);
    }

    /** Takes the lock: waits until the client holds it, on each of the locks that take part. */
    void take(int client, Duration lease, boolean renewed)
            throws IOException, InterruptedException, StoryFailedException {
        ask(client, lease, renewed);
        awaitHolding(client);
    }

    void ask(int client, Duration lease, boolean renewed) throws IOException {
        for (Lane lane : lanes) {
            ask(client, lane, lease, renewed, false);
        }
    }

    void ask(int client, Lane lane, Duration lease, boolean renewed, boolean once) throws IOException {
        stage.send(
                client,
                Message.of("ask", "lane", lane.id(), "lease", lease.toMillis(), "renewed", renewed, "once", once));
    }

    void awaitHolding(int client) throws InterruptedException, StoryFailedException {
        for (Lane lane : lanes) {
            await(name(client) + " holds the " + words(lane), () -> view(client, lane).state == State.HOLDING);
        }
    }

    void awaitWaiting(int client) throws InterruptedException, StoryFailedException {
        for (Lane lane : lanes) {
            await(
                    name(client) + " waits for the " + words(lane),
                    () -> view(client, lane).count("waiting") > 0);
        }
    }

    /** Shows its token, if the guard is on, and reads the balance. */
    void read(int client, Lane lane) throws IOException, InterruptedException, StoryFailedException {
        orderAndAwait(client, lane, Message.of("read", "lane", lane.id()), "read");
    }

    void read(int client) throws IOException, InterruptedException, StoryFailedException {
        for (Lane lane : lanes) {
            read(client, lane);
        }
    }

    void write(int client, Lane lane, long deposit) throws IOException, InterruptedException, StoryFailedException {
        orderAndAwait(client, lane, Message.of("write", "lane", lane.id(), "deposit", deposit), "wrote");
    }

    void release(int client, Lane lane) throws IOException, InterruptedException, StoryFailedException {
        orderAndAwait(client, lane, Message.of("release", "lane", lane.id()), "released");
    }

    /** Reads, deposits, releases. */
    void deposit(int client, Lane lane, long deposit) throws IOException, InterruptedException, StoryFailedException {
        read(client, lane);
        write(client, lane, deposit);
        release(client, lane);
    }

    /** A refusal by the account is an answer too. */
    private void orderAndAwait(int client, Lane lane, Message order, String answer)
            throws IOException, InterruptedException, StoryFailedException {
        LaneView view = view(client, lane);
        int before = board.read(() -> view.count(answer) + view.count("refused") + view.count("failed"));
        stage.send(client, order);
        await(
                name(client) + " does as told with the " + words(lane) + " (" + order.what() + ")",
                () -> view.count(answer) + view.count("refused") + view.count("failed") > before);
        int failed = board.read(() -> view.count("failed"));
        if (failed > 0) {
            throw new StoryFailedException(name(client) + ": "
                    + Objects.requireNonNull(view.latest("failed")).text("why"));
        }
    }

    // ---- what must come of it

    /** Waits until this is so, as servers and clients tell it. */
    void await(String what, BooleanSupplier condition) throws InterruptedException, StoryFailedException {
        if (!board.await(PATIENCE, condition)) {
            throw new StoryFailedException("It was not seen within " + PATIENCE.toSeconds() + " s that " + what + ".");
        }
    }

    void require(boolean so, String what) throws StoryFailedException {
        if (!so) {
            throw new StoryFailedException(what);
        }
    }

    void fact(Lane lane, boolean harm, String text) {
        facts.add(new Fact(lane, harm, text));
    }

    List<Fact> facts() {
        return List.copyOf(facts);
    }

    /** Compares the account with what was deposited. Deposits that are lost are the harm that a lock is to prevent. */
    void settle(Lane lane, boolean mustBeRight) throws IOException, StoryFailedException {
        AccountView account = stage.lookAtAccount(lane);
        require(
                account.isRight() == mustBeRight,
                "The account of the " + words(lane) + " holds " + account.balance() + " and " + account.due()
                        + " were due: that is not how this story ends.");
        fact(
                lane,
                !account.isRight(),
                account.isRight()
                        ? "The account is right: " + account.balance() + "."
                        : "The account holds " + account.balance() + " instead of " + account.due()
                                + ": a deposit is lost.");
    }

    static String name(int client) {
        return Stage.CLIENTS.get(client);
    }

    static String words(Lane lane) {
        return lane == Lane.HOLDFAST ? "Holdfast lock" : "plain lock";
    }

    static List<Integer> everybody() {
        return List.of(A, B, C);
    }
}
