package dev.holdfast.spring;

import java.io.IOException;
import org.springframework.transaction.annotation.Transactional;

/** A number that is read and written, by the means of the subclass. */
abstract class FencedStock {
    /** What happens between the read and the write. Behind a proxy, so only through the methods. */
    static volatile Runnable pauseNow = () -> {};

    abstract int read();

    abstract void write(int amount);

    private void change(int by) {
        int amount = read();
        pauseNow.run();
        write(amount + by);
    }

    @Locked(name = "stock", fenced = true, maxWait = "60s")
    @Transactional
    public void add(int amount) {
        change(amount);
    }

    @Locked(name = "stock", fenced = true)
    public void addWithoutAnnotationAndFail() {
        change(1);
        throw new IllegalArgumentException("no");
    }

    @Locked(name = "stock", fenced = true)
    @Transactional
    public void addAndFailChecked() throws IOException {
        change(1);
        throw new IOException("no");
    }

    @Locked(name = "stock", fenced = true)
    @Transactional(rollbackFor = IOException.class)
    public void addAndFailCheckedWithRule() throws IOException {
        change(1);
        throw new IOException("no");
    }

    @Locked(name = "place", key = "#from", fenced = true)
    @Locked(name = "place", key = "#to", fenced = true)
    @Transactional
    public void move(String from, String to) {
        change(0);
    }
}
