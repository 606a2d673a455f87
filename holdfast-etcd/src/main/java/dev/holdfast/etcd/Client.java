package dev.holdfast.etcd;

import dev.holdfast.BackendNotice;
import dev.holdfast.etcd.rpc.AuthGrpc;
import dev.holdfast.etcd.rpc.AuthenticateRequest;
import dev.holdfast.etcd.rpc.AuthenticateResponse;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests with one answer. Each is sent once: only one that was provably not sent goes to another member, and one that was
 * refused because of its token is sent again with a new one. Answers come on threads of gRPC.
 */
final class Client {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    final Members members;
    private final Settings settings;
    private final Events events;
    private final Set<ClientCall<?, ?>> open = ConcurrentHashMap.newKeySet();
    /** The token of this client, or the login that is under way for it. Whoever finds it refused replaces it. */
    private final Shared<String> token = new Shared<>();

    private volatile boolean closed;

    Client(Members members, Settings settings, Events events) {
        this.members = members;
        this.settings = settings;
        this.events = events;
    }

    <Q, A> CompletableFuture<A> ask(MethodDescriptor<Q, A> method, Q request) {
        return ask(method, request, settings.requestTimeout());
    }

    <Q, A> CompletableFuture<A> ask(MethodDescriptor<Q, A> method, Q request, Duration timeout) {
        return send(method, request, timeout, members.count(), true);
    }

    private <Q, A> CompletableFuture<A> send(
            MethodDescriptor<Q, A> method, Q request, Duration timeout, int membersLeft, boolean mayLogIn) {
        CompletableFuture<String> used = token();
        return used.thenCompose(text -> {
            Members.Member member = members.current();
            Unary<A> answer = new Unary<>();
            start(method, request, timeout, headers(text), member, answer);
            return Futures.recover(answer.future, failure -> {
                Status status = Status.fromThrowable(failure);
                if (mayLogIn && settings.login() != null && Errors.wantsLogin(status)) {
                    token.clear(used);
                    return send(method, request, timeout, membersLeft, false);
                }
                if (Errors.isMembers(status)) {
                    members.moveOn(member, Failures.describe(failure));
                    if (!answer.sent && membersLeft > 1 && !closed) {
                        return send(method, request, timeout, membersLeft - 1, mayLogIn);
                    }
                }
                return CompletableFuture.failedFuture(answer.sent ? failure : noConnection(member, failure));
            });
        });
    }

    private <Q, A> void start(
            MethodDescriptor<Q, A> method,
            Q request,
            Duration timeout,
            Metadata headers,
            Members.Member member,
            Unary<A> answer) {
        members.wake(member);
        // On the thread that brings the answer: whoever waits for it does nothing there that takes time.
        CallOptions options = CallOptions.DEFAULT
                .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                .withExecutor(Runnable::run)
                .withStreamTracerFactory(answer.tracer());
        ClientCall<Q, A> call = member.channel().newCall(method, options);
        answer.call = call;
        open.add(call);
        if (closed) {
            open.remove(call);
            answer.future.completeExceptionally(new NotSentException("the etcd backend was closed", null));
            return;
        }
        call.start(answer, headers);
        call.sendMessage(request);
        call.halfClose();
        call.request(2);
    }

    /** With the token of this client, where it has a password. */
    CompletableFuture<Metadata> headers() {
        return token().thenApply(Client::headers);
    }

    private static Metadata headers(String text) {
        Metadata headers = new Metadata();
        if (!text.isEmpty()) {
            headers.put(TOKEN, text);
        }
        return headers;
    }

    /** Empty: none is needed. */
    private CompletableFuture<String> token() {
        Settings.Login login = settings.login();
        return login == null ? CompletableFuture.completedFuture("") : token.get(mine -> logIn(login, members.count()));
    }

    /** A member that does not answer is passed over, as often as there are others: a login changes nothing. */
    private CompletableFuture<String> logIn(Settings.Login login, int membersLeft) {
        AuthenticateRequest request = AuthenticateRequest.newBuilder()
                .setName(login.user())
                .setPassword(login.password())
                .build();
        Members.Member member = members.current();
        Unary<AuthenticateResponse> answer = new Unary<>();
        start(AuthGrpc.getAuthenticateMethod(), request, settings.requestTimeout(), new Metadata(), member, answer);
        return Futures.recover(answer.future.thenApply(given -> given.getToken()), failure -> {
            if (Errors.is(failure, Status.Code.FAILED_PRECONDITION)) {
                events.notice(BackendNotice.warning(
                        "etcd", "a password is set here, but the servers ask for none: authentication is not enabled"));
                return CompletableFuture.completedFuture("");
            }
            if (Errors.is(failure, Status.Code.INVALID_ARGUMENT)) {
                return CompletableFuture.failedFuture(new RefusedException(
                        "etcd refuses the user or the password: " + Failures.describe(failure), failure));
            }
            if (Errors.isMembers(Status.fromThrowable(failure))) {
                members.moveOn(member, Failures.describe(failure));
                if (membersLeft > 1 && !closed) {
                    return logIn(login, membersLeft - 1);
                }
            }
            return CompletableFuture.failedFuture(noConnection(member, failure));
        });
    }

    private static NotSentException noConnection(Members.Member member, Throwable failure) {
        return new NotSentException(
                "no connection to etcd at " + member.label() + ": " + Failures.describe(failure), failure);
    }

    /** No answer is waited for any longer. */
    void close() {
        closed = true;
        open.forEach(call -> call.cancel("the etcd backend was closed", null));
    }

    /** One request, and what became of it. Its methods are called by gRPC, one at a time. */
    private final class Unary<A> extends ClientCall.Listener<A> {
        final CompletableFuture<A> future = new CompletableFuture<>();
        private @Nullable A message;
        /** Written by gRPC before anything leaves, read when the call has ended. */
        volatile boolean sent;
        /** Written before the call is started. */
        @Nullable
        ClientCall<?, A> call;

        @Override
        public void onMessage(A received) {
            message = received;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            open.remove(Objects.requireNonNull(call));
            if (status.isOk() && message != null) {
                future.complete(message);
            } else {
                Status failed = status.isOk() ? Status.INTERNAL.withDescription("an answer without a message") : status;
                future.completeExceptionally(failed.asRuntimeException());
            }
        }

        ClientStreamTracer.Factory tracer() {
            return new ClientStreamTracer.Factory() {
                @Override
                public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
                    return new ClientStreamTracer() {
                        @Override
                        public void outboundHeaders() {
                            sent = true;
                        }
                    };
                }
            };
        }
    }
}
