package dev.holdfast.dashboard.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Runs where there is a browser: {@code ./verify} says which, and why not where there is none. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "holdfast.chromium", matches = ".+")
public @interface InBrowser {}
