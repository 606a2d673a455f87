package dev.holdfast.lab.story;

import dev.holdfast.lab.stage.Board;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.story.Playing.State;
import dev.holdfast.lab.wire.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Plays one story at a time, and lets visitors do things while none is played. Everything happens on one thread, so the
 * {@link Stage} has one user. Safe for use by many threads.
 */
public final class Director implements AutoCloseable {
    /** The lease in the hands of visitors. Short, so that what happens to it can be waited for. */
    public static final Duration LEASE = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SENTENCES_BETWEEN_STORIES = 3;

    private final Stage stage;
    private final Board board;
    private final Duration pace;
    private final ExecutorService thread;
    // Guards current, and that only one is submitted at a time.
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Future<?> current;
    // The rest is guarded by the board.
    private boolean withPlain = true;
    private boolean touring;
    private int played;
    private @Nullable Playing playing;

    /** What a visitor does to the stage. */
    public interface Deed {
        void on(Stage stage) throws IOException, InterruptedException;
    }

    /**
     * For this stage.
     *
     * @param pace how long a visitor has for each sentence
     */
    public Director(Stage stage, Duration pace) {
        this.stage = stage;
        this.board = stage.board();
        this.pace = pace;
        thread = Executors.newSingleThreadExecutor(task -> {
            Thread daemon = new Thread(task, "holdfast-lab-director");
            daemon.setDaemon(true);
            return daemon;
        });
    }

    // ---- for the page; under Board.read only

    public @Nullable Playing playing() {
        return playing;
    }

    public boolean isTouring() {
        return touring;
    }

    public boolean showsPlain() {
        return withPlain;
    }

    // ---- for visitors

    /** Plays this one, in the place of what is being played. Does not wait for its end. */
    public void play(Story story) throws InterruptedException {
        begin(story, false, this::play);
    }

    /** Plays all of them, one after the other. Does not wait for the end. */
    public void tour() throws InterruptedException {
        begin(Story.ALL.get(0), true, this::tour);
    }

    /** Whether the plain lock takes part in the next story, and is seen. */
    public void showPlain(boolean on) {
        board.change(() -> withPlain = on);
    }

    private interface Part {
        State play(Playing first) throws InterruptedException;
    }

    private void begin(Story story, boolean asPartOfTour, Part part) throws InterruptedException {
        lock.lock();
        try {
            stop();
            Playing first = announced(story, asPartOfTour);
            current = thread.submit(() -> {
                try {
                    return part.play(first);
                } finally {
                    board.change(() -> touring = false);
                }
            });
        } finally {
            lock.unlock();
        }
    }

    /** Ends what is being played, and waits until it has ended. Does nothing if nothing is. */
    public void stop() throws InterruptedException {
        lock.lock();
        try {
            if (current != null && current.cancel(true)) {
                awaitIdle();
                endWhatNeverBegan();
            }
        } finally {
            lock.unlock();
        }
    }

    private void endWhatNeverBegan() {
        Playing announced = board.read(() -> playing != null && playing.state == State.PLAYING ? playing : null);
        if (announced != null) {
            announced.end(State.STOPPED, List.of(), "");
        }
        board.change(() -> touring = false);
    }

    /** A cancelled task is over only when its thread has left it. */
    private void awaitIdle() throws InterruptedException {
        try {
            Object unused = thread.submit(() -> null).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            throw new IllegalStateException("The story could not be stopped", e);
        }
    }

    /**
     * Does that, and waits for it.
     *
     * @throws IOException if it could not be done; says why
     * @throws IllegalStateException if a story is being played
     */
    public void act(Deed deed) throws IOException, InterruptedException {
        Future<?> done;
        lock.lock();
        try {
            // One that has just ended may still be on the thread: what is done now comes after it.
            if (board.read(() -> touring || (playing != null && playing.state == State.PLAYING))) {
                throw new IllegalStateException("A story is being played. Stop it first.");
            }
            done = thread.submit(() -> {
                deed.on(stage);
                return null;
            });
        } finally {
            lock.unlock();
        }
        try {
            done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(
                    String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()), e);
        } catch (TimeoutException e) {
            throw new IOException("It is still being done", e);
        }
    }

    /** Everything whole again, everybody connected, nothing held. */
    public void startOver() throws IOException, InterruptedException {
        stop();
        act(any -> any.reset(LEASE, Scene.everybody()));
        board.change(() -> playing = null);
    }

    /** Of the locks that the visitor wants to see. */
    public List<Lane> lanes() {
        return board.read(() -> withPlain ? List.of(Lane.values()) : List.of(Lane.HOLDFAST));
    }

    // ---- on the thread

    /** From here on the page shows it. */
    private Playing announced(Story story, boolean asPartOfTour) {
        return board.read(() -> {
            Playing next = new Playing(story, ++played, withPlain, board);
            board.change(() -> {
                playing = next;
                touring = asPartOfTour;
            });
            return next;
        });
    }

    private State tour(Playing first) throws InterruptedException {
        Playing next = first;
        for (Story story : Story.ALL) {
            if (next.story != story) {
                next = announced(story, true);
            }
            if (play(next) == State.STOPPED) {
                return State.STOPPED;
            }
            Thread.sleep(pace.multipliedBy(SENTENCES_BETWEEN_STORIES).toMillis());
        }
        return State.AS_TOLD;
    }

    private State play(Playing begun) {
        List<Lane> lanes = begun.withPlain ? List.of(Lane.values()) : List.of(Lane.HOLDFAST);
        Scene scene = new Scene(stage, lanes, pace, begun);
        try {
            begun.story.play(scene);
            begun.end(State.AS_TOLD, scene.facts(), "");
        } catch (InterruptedException | CancellationException e) {
            begun.end(State.STOPPED, scene.facts(), "");
        } catch (StoryFailedException | IOException | RuntimeException e) {
            // Not everything that can be interrupted says so.
            boolean stopped = Thread.interrupted();
            begun.end(
                    stopped ? State.STOPPED : State.FAILED,
                    scene.facts(),
                    stopped ? "" : String.valueOf(e.getMessage()));
        }
        return board.read(() -> begun.state);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
