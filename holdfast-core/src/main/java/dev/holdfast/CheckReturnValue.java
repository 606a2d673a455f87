package dev.holdfast;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Whoever drops what this method returns has made a mistake: a lease that nobody can close is held until the process ends.
 * Error Prone, and other checkers that go by the simple name, report it at compile time. An annotation of our own, because
 * users should not need another library for it.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface CheckReturnValue {}
