package dev.holdfast.spring.boot;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;

/** Chooses one store from what the application has, or says why it cannot. Connects to nothing. */
final class BackendSelection {
    private final ConfigurableListableBeanFactory beans;
    private final HoldfastProperties properties;
    private final List<BackendCandidate<?>> candidates;

    BackendSelection(
            ConfigurableListableBeanFactory beans,
            HoldfastProperties properties,
            List<BackendCandidate<?>> candidates) {
        this.beans = beans;
        this.properties = properties;
        this.candidates = candidates;
    }

    /** A backend that is a bean comes first, then the URL, then {@code holdfast.backend}, then the only candidate. */
    BackendChoice choose() {
        LockBackend own = beans.getBeanProvider(LockBackend.class).getIfAvailable();
        if (own != null) {
            return new BackendChoice(null, "the application's own backend", null, () -> own);
        }
        BackendKind named = properties.backend();
        if (properties.url() != null) {
            return byUrl(properties.url(), named);
        }
        if (named == BackendKind.MEMORY) {
            return new BackendChoice(named, "memory", null, InMemoryBackend::new);
        }
        List<BackendCandidate<?>> left = candidates.stream()
                .filter(each -> named == null || each.kind() == named)
                .toList();
        if (left.isEmpty()) {
            throw named == null ? nothingToChooseFrom() : missing(named);
        }
        if (left.size() > 1) {
            throw several(left);
        }
        return fromClient(left.get(0));
    }

    private @Nullable ClassLoader classPath() {
        return beans.getBeanClassLoader();
    }

    private BackendChoice byUrl(String url, @Nullable BackendKind named) {
        BackendKind kind = UrlBackends.kindOf(url);
        if (named != null && named != kind) {
            throw new HoldfastStartupException(
                    "holdfast.backend is " + named.text() + ", and holdfast.url is that of " + kind.text() + ".",
                    "Remove one of the two properties.",
                    null);
        }
        if (!kind.isOn(classPath())) {
            throw new HoldfastStartupException(
                    "holdfast.url is that of " + kind.text() + ", and " + kind.whatIsMissing(classPath()) + ".",
                    "Add the dependency " + kind.dependency() + ".",
                    null);
        }
        return new BackendChoice(
                kind,
                kind.text() + " by holdfast.url",
                null,
                () -> Setting.checked("holdfast.url", () -> UrlBackends.connect(kind, url, properties)));
    }

    private <C> BackendChoice fromClient(BackendCandidate<C> candidate) {
        NamedBeanHolder<C> client = client(candidate.clientType());
        String store = candidate.kind().text() + " through the bean '" + client.getBeanName() + "'";
        return new BackendChoice(
                candidate.kind(),
                store,
                client.getBeanName(),
                () -> candidate.connector().apply(client.getBeanInstance(), properties));
    }

    private <C> NamedBeanHolder<C> client(Class<C> type) {
        String name = properties.client();
        try {
            return name == null ? beans.resolveNamedBean(type) : new NamedBeanHolder<>(name, beans.getBean(name, type));
        } catch (NoUniqueBeanDefinitionException e) {
            throw new HoldfastStartupException(
                    "There are several beans of type " + type.getSimpleName()
                            + " that could lead to the store of the locks: " + e.getBeanNamesFound() + ".",
                    "Set holdfast.client to the name of one of them, or make one of them @Primary.",
                    e);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new HoldfastStartupException(
                    "holdfast.client is '" + name + "', and there is no " + type.getSimpleName() + " of that name.",
                    "Set it to one of "
                            + Stream.of(beans.getBeanNamesForType(type))
                                    .sorted()
                                    .toList() + ".",
                    e);
        }
    }

    private static HoldfastStartupException several(List<BackendCandidate<?>> found) {
        String kinds = found.stream().map(each -> each.kind().text()).sorted().collect(Collectors.joining(", "));
        return new HoldfastStartupException(
                "Holdfast can store locks in several places, and does not guess: " + kinds + ".",
                "Set holdfast.backend to one of " + kinds + ". All processes that share a lock must use the same one.",
                null);
    }

    private HoldfastStartupException missing(BackendKind kind) {
        return new HoldfastStartupException(
                "holdfast.backend is " + kind.text() + ", and " + kind.whatIsMissing(classPath()) + ".",
                kind.isOn(classPath())
                        ? "Configure that client in the application, or set holdfast.url to the URL of the store."
                        : "Add the dependency " + kind.dependency() + ".",
                null);
    }

    private HoldfastStartupException nothingToChooseFrom() {
        String reasons = Stream.of(BackendKind.REDIS, BackendKind.JDBC, BackendKind.ZOOKEEPER)
                .map(kind -> "\n  - " + kind.text() + ": " + kind.whatIsMissing(classPath()))
                .collect(Collectors.joining());
        return new HoldfastStartupException(
                "Holdfast has no store for its locks:" + reasons,
                "Add the module of a store that the application uses already, or add a module and set holdfast.url, or set"
                        + " holdfast.backend to memory if one process is all there is. A bean of type Holdfast or"
                        + " LockBackend works as well.",
                null);
    }
}
