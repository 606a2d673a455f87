package dev.holdfast.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** Sockets that are not encrypted, read through {@link ServerFrames}. */
final class PlainSockets extends SocketFactory {
    private static final class PlainSocket extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            return new ServerFrames(super.getInputStream());
        }
    }

    @Override
    public Socket createSocket() {
        return new PlainSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    private static Socket connected(InetSocketAddress remote, @Nullable InetSocketAddress local) throws IOException {
        Socket socket = new PlainSocket();
        try {
            if (local != null) {
                socket.bind(local);
            }
            socket.connect(remote);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
