package dev.holdfast.spring;

import javax.sql.DataSource;

/**
 * Looks at a database before {@link Locked#fenced fenced} methods use it. A bean of this type is asked once for each DataSource: at
 * the start for annotated methods, at the first use for {@link LockTemplate#fenced}. What it throws stops the start, or that use.
 */
@FunctionalInterface
public interface FencedDataSourceCheck {
    /** Looks, and throws if fenced methods cannot work there. May block. */
    void check(DataSource dataSource);
}
