package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All alarms of one Holdfast: a binary heap with one task at the scheduler, armed for the earliest of them.
 *
 * <p>An alarm that is taken back leaves the armed task alone, so that acquire and close do not schedule and cancel a
 * task each time; the task finds nothing due and arms itself anew.
 */
final class Timers {
    private final Environment environment;
    private final Consumer<List<Alarm>> firing;
    // Guards everything below, and armed, place and dueNanos of every alarm. Nothing is called while it is held but the
    // scheduler.
    private final ReentrantLock lock = new ReentrantLock();
    private Alarm[] heap = new Alarm[16];
    private int size;
    private Environment.@Nullable Scheduled armed;
    private long armedForNanos;
    // Counts the tasks. Cancelling is best effort: one that starts all the same must not be taken for the armed one, or
    // two would go on arming themselves for ever.
    private int armings;
    private boolean closed;

    /** @param firing gets the alarms that are due, on a scheduler thread, with no lock held */
    Timers(Environment environment, Consumer<List<Alarm>> firing) {
        this.environment = environment;
        this.firing = firing;
    }

    /**
     * Brings the queue in line with the alarm's fire time. It is read under the lock: when two threads decide one after
     * the other and refresh in the opposite order, the newer time still wins.
     */
    void refresh(Alarm alarm) {
        // Most alarms are taken back before they were ever queued. Who queues one at this moment sees that, because it
        // looks again after setting armed.
        if (alarm.fireAtNanos == Alarm.NEVER && !alarm.armed) {
            return;
        }
        lock.lock();
        try {
            long fireAt;
            do {
                fireAt = alarm.fireAtNanos;
                queue(alarm, closed ? Alarm.NEVER : fireAt);
            } while (fireAt != alarm.fireAtNanos);
        } finally {
            lock.unlock();
        }
    }

    private void queue(Alarm alarm, long fireAt) {
        if (fireAt == Alarm.NEVER) {
            remove(alarm);
        } else if (!alarm.armed) {
            alarm.dueNanos = fireAt;
            insert(alarm);
            arm();
        } else if (alarm.dueNanos != fireAt) {
            alarm.dueNanos = fireAt;
            siftDown(alarm, siftUp(alarm, alarm.place));
            arm();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            while (size > 0) {
                remove(heap[size - 1]);
            }
            if (armed != null) {
                armed.cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    private void round(int arming) {
        List<Alarm> due = new ArrayList<>();
        try {
            take(arming, due);
        } finally {
            // Also if the scheduler failed to arm the next: these are in nobody's heap any more.
            firing.accept(due);
        }
    }

    private void take(int arming, List<Alarm> due) {
        lock.lock();
        try {
            if (arming == armings) {
                armed = null;
            }
            long now = environment.nanoTime();
            while (size > 0 && heap[0].dueNanos - now <= 0) {
                due.add(heap[0]);
                remove(heap[0]);
            }
            arm();
        } finally {
            lock.unlock();
        }
    }

    private void arm() {
        if (size == 0 || closed) {
            return;
        }
        long due = heap[0].dueNanos;
        if (armed != null && armedForNanos - due <= 0) {
            return;
        }
        if (armed != null) {
            armed.cancel();
            // If the scheduler fails, nothing is armed, and whoever comes next tries again.
            armed = null;
        }
        armedForNanos = due;
        int arming = ++armings;
        armed = environment.schedule(Math.max(0, due - environment.nanoTime()), () -> round(arming));
    }

    private void insert(Alarm alarm) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size + (size >> 1));
        }
        siftUp(alarm, size++);
        alarm.armed = true;
    }

    @SuppressWarnings("NullAway") // Slots past size are null; clearing one is what lets its alarm go.
    private void remove(Alarm alarm) {
        if (!alarm.armed) {
            return;
        }
        alarm.armed = false;
        Alarm last = heap[--size];
        heap[size] = null;
        if (last != alarm) {
            siftDown(last, siftUp(last, alarm.place));
        }
    }

    private int siftUp(Alarm alarm, int slot) {
        while (slot > 0) {
            int parent = (slot - 1) >>> 1;
            if (heap[parent].dueNanos - alarm.dueNanos <= 0) {
                break;
            }
            place(heap[parent], slot);
            slot = parent;
        }
        place(alarm, slot);
        return slot;
    }

    private void siftDown(Alarm alarm, int slot) {
        while (2 * slot + 1 < size) {
            int child = 2 * slot + 1;
            if (child + 1 < size && heap[child + 1].dueNanos - heap[child].dueNanos < 0) {
                child++;
            }
            if (alarm.dueNanos - heap[child].dueNanos <= 0) {
                break;
            }
            place(heap[child], slot);
            slot = child;
        }
        place(alarm, slot);
    }

    private void place(Alarm alarm, int slot) {
        heap[slot] = alarm;
        alarm.place = slot;
    }
}
