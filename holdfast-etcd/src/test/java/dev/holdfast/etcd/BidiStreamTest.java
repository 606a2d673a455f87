package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.etcd.rpc.WatchGrpc;
import dev.holdfast.etcd.rpc.WatchRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BidiStreamTest {
    @Test
    void whatIsSentAfterItWasCancelledIsCountedUntilItsEndIsTold() {
        // gRPC refuses a message between the two. The first one used to be thrown out of, and those behind it waited
        // for
        // ever.
        BidiStream<WatchRequest, ?> stream =
                new BidiStream<>(new Members.Member(0, "cancelled", new Cancelled()), WatchGrpc.getWatchMethod());
        List<Integer> counted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            stream.send(WatchRequest.getDefaultInstance(), () -> counted.add(number));
        }
        assertThat(counted).containsExactly(0, 1, 2);
    }

    /** As gRPC does it. */
    private static final class Cancelled extends Channel {
        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return new ClientCall<>() {
                @Override
                public void sendMessage(Q message) {
                    throw new IllegalStateException("call was cancelled");
                }

                @Override
                public void start(Listener<A> listener, Metadata headers) {}

                @Override
                public void request(int count) {}

                @Override
                public void cancel(String message, Throwable cause) {}

                @Override
                public void halfClose() {}
            };
        }

        @Override
        public String authority() {
            return "nobody";
        }
    }
}
