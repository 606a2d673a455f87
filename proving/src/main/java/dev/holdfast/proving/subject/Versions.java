package dev.holdfast.proving.subject;

import java.net.URL;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a library, from the name of its jar. */
final class Versions {
    private static final Pattern JAR = Pattern.compile("([a-zA-Z][a-zA-Z-]*)-(\\d[^/]*)\\.jar$");

    private Versions() {}

    static String of(Class<?> type) {
        var source = type.getProtectionDomain().getCodeSource();
        URL place = source == null ? null : source.getLocation();
        Matcher matcher = JAR.matcher(String.valueOf(place));
        return matcher.find() ? matcher.group(1) + " " + matcher.group(2) : "of this build";
    }
}
