package dev.holdfast.spring.boot.test;

import org.springframework.stereotype.Component;

/** A component of the application. In a file of its own, because classes within tests are never scanned. */
@Component
class ScannedComponent {}
