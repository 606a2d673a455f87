package dev.holdfast.benchmarks.zookeeper;

import dev.holdfast.benchmarks.Contender;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

final class CuratorContender implements Contender {
    private final CuratorFramework framework;
    // As its manual has it: one object per lock and process.
    private final ConcurrentHashMap<String, InterProcessMutex> locks = new ConcurrentHashMap<>();

    CuratorContender(String address) {
        framework = CuratorFrameworkFactory.newClient(address, 30_000, 15_000, new ExponentialBackoffRetry(1000, 3));
        framework.start();
    }

    @Override
    public String name() {
        return "Curator InterProcessMutex";
    }

    @Override
    public Runnable lock(String name) throws Exception {
        InterProcessMutex lock =
                locks.computeIfAbsent(name, each -> new InterProcessMutex(framework, "/curator/" + each));
        lock.acquire();
        return () -> release(lock);
    }

    private static void release(InterProcessMutex lock) {
        try {
            lock.release();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        framework.close();
    }
}
