package dev.holdfast.simulation;

import dev.holdfast.spi.Environment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is going to happen: in order of time, and of decision where that is the same. */
final class EventQueue {
    /** Something to do. Belongs to a process, or to the world. */
    static final class Event implements Environment.Scheduled {
        long atNanos;
        final long order;
        final @Nullable Client process;
        final Runnable code;
        boolean cancelled;

        Event(long atNanos, long order, @Nullable Client process, Runnable code) {
            this.atNanos = atNanos;
            this.order = order;
            this.process = process;
            this.code = code;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        private boolean isBefore(Event other) {
            return atNanos < other.atNanos || (atNanos == other.atNanos && order < other.order);
        }
    }

    private Event[] heap = new Event[256];
    private int size;
    private long orders;

    Event add(long atNanos, @Nullable Client process, Runnable code) {
        Event event = new Event(atNanos, orders++, process, code);
        put(event);
        return event;
    }

    /** Not now: its process stands still. It keeps its place among those of the same time. */
    void postpone(Event event, long toNanos) {
        event.atNanos = toNanos;
        put(event);
    }

    boolean isEmpty() {
        return size == 0;
    }

    long nextNanos() {
        return heap[0].atNanos;
    }

    private void put(Event event) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        int slot = size++;
        while (slot > 0) {
            int parent = (slot - 1) >>> 1;
            if (!event.isBefore(heap[parent])) {
                break;
            }
            heap[slot] = heap[parent];
            slot = parent;
        }
        heap[slot] = event;
    }

    @SuppressWarnings("NullAway") // Slots past size are null.
    Event take() {
        Event first = heap[0];
        Event last = heap[--size];
        heap[size] = null;
        if (size == 0) {
            return first;
        }
        int slot = 0;
        while (2 * slot + 1 < size) {
            int child = 2 * slot + 1;
            if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
                child++;
            }
            if (!heap[child].isBefore(last)) {
                break;
            }
            heap[slot] = heap[child];
            slot = child;
        }
        heap[slot] = last;
        return first;
    }
}
