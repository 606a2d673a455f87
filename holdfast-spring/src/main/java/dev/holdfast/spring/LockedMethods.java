package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;

/** Reads annotated methods, each once, and finds what is wrong with them. Safe for use by many threads. */
final class LockedMethods {
    private final ConfigurableListableBeanFactory beans;
    private final FencedTransactions fences;
    private final ConcurrentMap<MethodClassKey, LockedMethod> known = new ConcurrentHashMap<>();

    LockedMethods(ConfigurableListableBeanFactory beans, FencedTransactions fences) {
        this.beans = beans;
        this.fences = fences;
    }

    /** @throws IllegalStateException if its annotations cannot work */
    LockedMethod of(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        LockedMethod found = known.get(key);
        if (found == null) {
            Problems problems = new Problems();
            found = read(method, targetClass, problems);
            problems.throwIfAny();
            known.put(key, found);
        }
        return found;
    }

    /** What it returns is of use only if it found no problems. */
    LockedMethod read(Method method, Class<?> targetClass, Problems problems) {
        Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
        Consumer<String> report = problem -> problems.add(targetClass, specific, problem);
        List<MergedAnnotation<Locked>> annotations = LockedAnnotations.of(method, targetClass);
        ResultKind result = result(specific, report);
        List<LockDeclaration> locks = new ArrayList<>();
        for (MergedAnnotation<Locked> each : annotations) {
            locks.add(new LockedReader(each, specific, targetClass, result, beans, report).read());
        }
        List<CallersTransaction> transactions = annotations.stream()
                .map(each -> each.getEnum("transaction", CallersTransaction.class))
                .distinct()
                .toList();
        if (transactions.size() != 1) {
            report.accept("its locks say different things about the caller's transaction, " + transactions);
        }
        boolean filled = Arrays.stream(specific.getParameterTypes()).anyMatch(LockedMethod::isFilled);
        if (filled && locks.size() > 1) {
            report.accept("which of its " + locks.size()
                    + " locks the Lease or FencingToken is meant to be of cannot be told: use LockedContext.current()");
        }
        FencedTransaction fence = fence(annotations, specific, targetClass, result, report);
        return new LockedMethod(specific, locks, transactions.get(0), fence, result);
    }

    private @Nullable FencedTransaction fence(
            List<MergedAnnotation<Locked>> annotations,
            Method method,
            Class<?> targetClass,
            ResultKind result,
            Consumer<String> report) {
        long fenced =
                annotations.stream().filter(each -> each.getBoolean("fenced")).count();
        if (fenced == 0) {
            return null;
        }
        if (fenced < annotations.size()) {
            report.accept("some of its locks are fenced and some are not: they share one transaction");
        }
        if (result != ResultKind.DIRECT) {
            report.accept("fenced = true guards a transaction that ends when the method returns, and its result may be"
                    + " complete only later: return the result itself");
        }
        return fences.of(method, targetClass, report);
    }

    private static ResultKind result(Method method, Consumer<String> report) {
        try {
            return ResultKind.of(method);
        } catch (IllegalArgumentException e) {
            report.accept(String.valueOf(e.getMessage()));
            return ResultKind.DIRECT;
        }
    }
}
