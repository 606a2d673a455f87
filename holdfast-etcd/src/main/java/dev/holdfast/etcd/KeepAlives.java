package dev.holdfast.etcd;

import dev.holdfast.etcd.rpc.LeaseGrpc;
import dev.holdfast.etcd.rpc.LeaseKeepAliveRequest;
import dev.holdfast.etcd.rpc.LeaseKeepAliveResponse;
import dev.holdfast.spi.Environment;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;

/**
 * Signs of life for all leases of this client, on one stream. A server takes them one after the other, so the answers come in
 * the order of the questions, and each answer is that to the oldest question that has none.
 */
final class KeepAlives {
    private record Question(long lease, CompletableFuture<LeaseKeepAliveResponse> answer) {}

    private final Client client;
    private final Environment environment;
    /** The stream in use, or the one that is being opened. Whoever finds it ended clears it. */
    private final Shared<Line> current = new Shared<>();

    KeepAlives(Client client, Environment environment) {
        this.client = client;
        this.environment = environment;
        client.members.onMove(() -> end("another member is asked"));
    }

    /** The answer; a failure if there is none in time, or if the stream has ended. */
    CompletableFuture<LeaseKeepAliveResponse> ask(long lease, Duration timeout) {
        CompletableFuture<LeaseKeepAliveResponse> answer = new CompletableFuture<>();
        // A question that is given up stays in its place, so that the answers behind it are not mistaken.
        Environment.Scheduled limit = environment.schedule(
                timeout.toNanos(),
                () -> answer.completeExceptionally(new TimeoutException("etcd has not answered in time")));
        var unused = line().whenComplete((line, failure) -> {
            if (failure == null) {
                line.send(new Question(lease, answer));
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return answer.whenComplete((said, failure) -> limit.cancel());
    }

    private CompletableFuture<Line> line() {
        return current.get(self -> client.headers().thenApply(headers -> {
            Line line = new Line(self, client.members.current());
            line.open(headers);
            return line;
        }));
    }

    /** The next question opens a new stream. */
    void end(String why) {
        current.ifThere(line -> line.stream.cancel(why));
    }

    /** A stream, and the questions that wait for its answers. */
    private final class Line {
        private final CompletableFuture<Line> self;
        private final BidiStream<LeaseKeepAliveRequest, LeaseKeepAliveResponse> stream;
        private final Queue<Question> asked = new ConcurrentLinkedQueue<>();

        Line(CompletableFuture<Line> self, Members.Member member) {
            this.self = self;
            this.stream = new BidiStream<>(member, LeaseGrpc.getLeaseKeepAliveMethod());
        }

        void open(Metadata headers) {
            stream.open(headers, this::answered, this::ended);
        }

        void send(Question question) {
            stream.send(
                    LeaseKeepAliveRequest.newBuilder().setID(question.lease()).build(), () -> asked.add(question));
            if (stream.hasEnded()) {
                failAll(Status.UNAVAILABLE.withDescription("the stream of keep-alives has ended"));
            }
        }

        private void answered(LeaseKeepAliveResponse said) {
            Question oldest = asked.poll();
            if (oldest == null || oldest.lease() != said.getID()) {
                // Never seen. Were it so, no answer of this stream could be believed.
                stream.cancel("an answer to no question");
                return;
            }
            oldest.answer().complete(said);
        }

        private void ended(Status status) {
            current.clear(self);
            failAll(status);
        }

        private void failAll(Status status) {
            StatusRuntimeException failure = status.asRuntimeException();
            for (Question each = asked.poll(); each != null; each = asked.poll()) {
                each.answer().completeExceptionally(failure);
            }
        }
    }
}
