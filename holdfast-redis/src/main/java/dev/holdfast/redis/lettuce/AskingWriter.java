package dev.holdfast.redis.lettuce;

import io.lettuce.core.protocol.CommandType;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Writes ASKING before a request for a slot that is moving to this server. It counts for the very next command of the connection
 * only, so nothing may come in between: everything here happens on the I/O thread.
 */
final class AskingWriter extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (message instanceof Request request && request.isAsking()) {
            // Where it is refused, the request is refused as well, and says so.
            var unused = context.write(new Request(CommandType.ASKING, Frame.of("ASKING"), (reply, failure) -> {}));
        }
        super.write(context, message, promise);
    }
}
