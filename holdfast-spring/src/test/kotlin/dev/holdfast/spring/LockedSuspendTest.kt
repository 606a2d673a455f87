package dev.holdfast.spring

import dev.holdfast.FencingToken
import dev.holdfast.Lease
import dev.holdfast.LeaseLostException
import dev.holdfast.LockTimeoutException
import java.time.Duration
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono

/** Kotlin's suspending functions: the lock is held until the function is done, however often it was suspended. */
class LockedSuspendTest {
    private val service = application.bean(Service::class.java)

    @AfterEach
    fun everythingIsGivenBack() {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until { !application.isHeld("k:1") }
    }

    @Test
    fun theLockIsHeldWhileTheFunctionIsSuspendedAndFreeAfterIt() = runBlocking<Unit> {
        val goOn = CompletableDeferred<String>()
        val result = async(Dispatchers.Default) { service.await(1, goOn) }
        Awaitility.await().atMost(Duration.ofSeconds(60)).until { application.isHeld("k:1") }
        goOn.complete("done")
        assertThat(result.await()).isEqualTo("done held")
        assertThat(application.isHeld("k:1")).isFalse()
    }

    @Test
    fun twoCallsExcludeEachOther() = runBlocking<Unit>(Dispatchers.Default) {
        List(20) { launch { service.count(1) } }.forEach { it.join() }
        assertThat(service.counted).isEqualTo(20)
    }

    @Test
    fun aFunctionThatFailsGivesTheLockBack() = runBlocking<Unit> {
        val thrown = runCatching { service.fail(1) }.exceptionOrNull()
        assertThat(thrown).isInstanceOf(IllegalArgumentException::class.java).hasMessage("no")
    }

    @Test
    fun aCoroutineThatIsCancelledGivesTheLockBack() = runBlocking<Unit> {
        val job = launch(Dispatchers.Default) { service.await(1, CompletableDeferred()) }
        Awaitility.await().atMost(Duration.ofSeconds(60)).until { application.isHeld("k:1") }
        job.cancelAndJoin()
    }

    @Test
    fun aFlowsLockIsHeldUntilItIsComplete() = runBlocking<Unit> {
        assertThat(service.flow(1).toList()).containsExactly("held", "held")
    }

    @Test
    fun leaseAndTokenAreFilledIn() = runBlocking<Unit> {
        assertThat(service.given(1, null, null)).isEqualTo("k:1 true")
    }

    @Test
    fun aLeaseThatIsLostFailsTheFunction() = runBlocking<Unit> {
        val thrown = runCatching { service.lose(1, null) }.exceptionOrNull()
        assertThat(thrown).isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aBusyLockIsThrownOrSkippedOrAnsweredByTheFallback() = runBlocking<Unit> {
        application.taken("k:1").use {
            val thrown = runCatching { service.impatient(1) }.exceptionOrNull()
            assertThat(thrown).isInstanceOf(LockTimeoutException::class.java)
            assertThat(service.skipped(1)).isNull()
            service.skippedUnit(1)
            assertThat(service.withFallback(1)).isEqualTo("instead 1")
            assertThat(service.withFallbackThatKnows(1)).isEqualTo("1: k:1")
        }
    }

    @Test
    fun whatCannotWorkIsToldAtTheStart() {
        assertThatThrownBy { Application.of(Database::class.java, Wrong::class.java).close() }
            .hasMessageContaining("primitive(Continuation): busy = SKIP has nothing to return as Integer, which is never null")
            .hasMessageContaining("never(Continuation): busy = SKIP has nothing to return as String, which is never null")
            .hasMessageContaining("byPosition(int, Continuation): the key names #p1")
            .hasMessageContaining("missing(Continuation): there is no fallback 'nothing'")
            .hasMessageContaining("otherResult(Continuation): its fallback 'number' returns")
            .hasMessageContaining("fenced(Continuation): fenced = true guards a transaction that ends when the method returns")
            .hasMessageContaining("twoEnds(Continuation): nobody can tell when the result, a Mono of a suspending function")
    }

    open class Service {
        @Volatile
        var counter = 0

        open val counted: Int
            get() = counter

        private fun state(id: Int) = if (application.isHeld("k:$id")) "held" else "free"

        @Locked(name = "k", key = "#id")
        open suspend fun await(id: Int, goOn: CompletableDeferred<String>): String = goOn.await() + " " + state(id)

        @Locked(name = "k", key = "#p0", maxWait = "60s")
        open suspend fun count(id: Int) {
            val read = counter + id - 1
            yield()
            delay(1)
            counter = read + 1
        }

        @Locked(name = "k", key = "#id")
        open suspend fun fail(id: Int): String {
            yield()
            throw IllegalArgumentException("no")
        }

        @Locked(name = "k", key = "#id")
        open suspend fun flow(id: Int): Flow<String> {
            yield()
            return flow {
                emit(state(id))
                delay(1)
                emit(state(id))
            }
        }

        @Locked(name = "k", key = "#id")
        open suspend fun given(id: Int, lease: Lease?, token: FencingToken?): String {
            delay(1)
            return lease!!.name() + " " + (lease.token() == token)
        }

        @Locked(name = "k", key = "#id")
        open suspend fun lose(id: Int, lease: Lease?): String {
            delay(1)
            application.lose(lease!!)
            return "done"
        }

        @Locked(name = "k", key = "#id", maxWait = "1ms")
        open suspend fun impatient(id: Int): String = "ran"

        @Locked(name = "k", key = "#id", busy = Busy.SKIP)
        open suspend fun skipped(id: Int): String? = "ran"

        @Locked(name = "k", key = "#id", busy = Busy.SKIP)
        open suspend fun skippedUnit(id: Int): Unit = throw AssertionError("ran")

        @Locked(name = "k", key = "#id", busy = Busy.FALLBACK, fallback = "instead")
        open suspend fun withFallback(id: Int): String = "ran"

        suspend fun instead(id: Int): String {
            delay(1)
            return "instead $id"
        }

        @Locked(name = "k", key = "#id", busy = Busy.FALLBACK, fallback = "knowing")
        open suspend fun withFallbackThatKnows(id: Int): String = "ran"

        suspend fun knowing(id: Int, why: LockTimeoutException): String {
            delay(1)
            return "$id: " + why.lockName()
        }
    }

    open class Wrong {
        @Locked(name = "k", busy = Busy.SKIP)
        open suspend fun primitive(): Int = 1

        @Locked(name = "k", busy = Busy.SKIP)
        open suspend fun never(): String = ""

        @Locked(name = "k", key = "#p1")
        open suspend fun byPosition(id: Int): String = "$id"

        @Locked(name = "k", busy = Busy.FALLBACK, fallback = "nothing")
        open suspend fun missing(): String = ""

        @Locked(name = "k", busy = Busy.FALLBACK, fallback = "number")
        open suspend fun otherResult(): String = ""

        suspend fun number(): Int = 1

        @Locked(name = "k", fenced = true)
        open suspend fun fenced(): String = ""

        @Locked(name = "k")
        open suspend fun twoEnds(): Mono<String> = Mono.just("")
    }

    companion object {
        private val application = Application.of(Service::class.java)

        @JvmStatic
        @AfterAll
        fun close() = application.close()
    }
}
