package dev.holdfast.benchmarks.spring;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * A lock by annotation as tutorials write it: lock, proceed, unlock. It names no order, so Spring puts it inside the transaction of
 * the method, and the lock is given back before the commit.
 */
@Aspect
final class RedissonLockAspect {
    private final RedissonClient redisson;

    RedissonLockAspect(RedissonClient redisson) {
        this.redisson = redisson;
    }

    @Around("@annotation(lock)")
    @Nullable
    Object around(ProceedingJoinPoint call, RedissonLock lock) throws Throwable {
        RLock held = redisson.getLock(lock.value());
        held.lock();
        try {
            return call.proceed();
        } finally {
            held.unlock();
        }
    }
}
