package dev.holdfast.spring.boot.test;

import dev.holdfast.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.spring.boot.LockRegistryAutoConfiguration;
import dev.holdfast.spring.boot.LockingAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of code that uses locks, and of nothing else: locks in memory, and a clock that stands still until the test moves it. The
 * application's components are not scanned and Boot's other auto-configuration is off, so import what is tested.
 *
 * <pre>{@code
 * @HoldfastTest
 * @Import(Orders.class)
 * class OrdersTest {
 *     @Autowired Orders orders;
 *     @Autowired ManualTime time;          // time.advance(Duration.ofSeconds(31))
 *     @Autowired LockControls controls;    // controls.lose("order:42"), controls.disconnect()
 * }
 * }</pre>
 *
 * <p>A call that waits for a lock waits for somebody to move the clock: see {@link dev.holdfast.testing.ManualTime}. For a test of the
 * whole application use {@code @SpringBootTest} with {@code holdfast.backend=memory}, where time passes by itself.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration({
    LocksInMemory.class,
    HoldfastAutoConfiguration.class,
    LockingAutoConfiguration.class,
    LockRegistryAutoConfiguration.class
})
public @interface HoldfastTest {}
