/** The starter for Spring Boot 4. Everything else is in {@code dev.holdfast.spring.boot}. */
@NullMarked
package dev.holdfast.spring.boot.starter;

import org.jspecify.annotations.NullMarked;
