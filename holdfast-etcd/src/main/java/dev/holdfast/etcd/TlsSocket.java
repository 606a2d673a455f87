package dev.holdfast.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/** A socket of the JDK's, read through {@link ServerFrames}; everything else is its own. */
@SuppressWarnings({"NullAway", "UnsynchronizedOverridesSynchronized"
}) // The JDK's own socket knows what may be null, and locks.
final class TlsSocket extends SSLSocket {
    private final SSLSocket jdk;

    TlsSocket(SSLSocket jdk) {
        this.jdk = jdk;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new ServerFrames(jdk.getInputStream());
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return jdk.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return jdk.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        jdk.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return jdk.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return jdk.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        jdk.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return jdk.getSession();
    }

    @Override
    public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
        jdk.addHandshakeCompletedListener(listener);
    }

    @Override
    public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
        jdk.removeHandshakeCompletedListener(listener);
    }

    @Override
    public void startHandshake() throws IOException {
        jdk.startHandshake();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        jdk.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return jdk.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        jdk.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return jdk.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        jdk.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return jdk.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        jdk.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return jdk.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return jdk.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        jdk.setSSLParameters(parameters);
    }

    @Override
    public String getApplicationProtocol() {
        return jdk.getApplicationProtocol();
    }

    @Override
    public String getHandshakeApplicationProtocol() {
        return jdk.getHandshakeApplicationProtocol();
    }

    @Override
    public SSLSession getHandshakeSession() {
        return jdk.getHandshakeSession();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return jdk.getOutputStream();
    }

    @Override
    public void close() throws IOException {
        jdk.close();
    }

    @Override
    public boolean isClosed() {
        return jdk.isClosed();
    }

    @Override
    public boolean isConnected() {
        return jdk.isConnected();
    }

    @Override
    public boolean isBound() {
        return jdk.isBound();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        jdk.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return jdk.getSoTimeout();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        jdk.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return jdk.getTcpNoDelay();
    }

    @Override
    public InetAddress getInetAddress() {
        return jdk.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return jdk.getLocalAddress();
    }

    @Override
    public int getPort() {
        return jdk.getPort();
    }

    @Override
    public int getLocalPort() {
        return jdk.getLocalPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return jdk.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return jdk.getLocalSocketAddress();
    }
}
