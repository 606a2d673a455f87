package dev.holdfast.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Sockets that are encrypted, read through {@link ServerFrames}. */
final class TlsSockets extends SSLSocketFactory {
    private final SSLSocketFactory jdk;

    TlsSockets(SSLSocketFactory jdk) {
        this.jdk = jdk;
    }

    private static Socket readable(Socket socket) {
        return new TlsSocket((SSLSocket) socket);
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
        return readable(jdk.createSocket(socket, host, port, autoClose));
    }

    @Override
    public Socket createSocket() throws IOException {
        return readable(jdk.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return readable(jdk.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return readable(jdk.createSocket(host, port, local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return readable(jdk.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return readable(jdk.createSocket(host, port, local, localPort));
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return jdk.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return jdk.getSupportedCipherSuites();
    }
}
