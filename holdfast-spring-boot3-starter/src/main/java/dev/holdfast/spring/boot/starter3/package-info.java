/** The starter for Spring Boot 3. Everything else is in {@code dev.holdfast.spring.boot}. */
@NullMarked
package dev.holdfast.spring.boot.starter3;

import org.jspecify.annotations.NullMarked;
