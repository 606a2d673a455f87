package dev.holdfast.cli.output;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.spi.Secrets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a guard has seen, for people and for programs. */
public final class GuardReport {
    private GuardReport() {}

    public static Map<String, Object> json(String resource, Optional<GuardState> state) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("resource", resource);
        fields.put("used", state.isPresent());
        state.ifPresent(guard -> {
            fields.put("generation", guard.generation());
            // As text: tokens may exceed what readers that know only doubles can tell apart.
            guard.newest().ifPresent(token -> fields.put("newestToken", token.toString()));
            fields.put("moves", guard.moves().stream().map(GuardReport::json).toList());
        });
        return fields;
    }

    private static Map<String, Object> json(GuardMove move) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("fromGeneration", move.fromGeneration());
        move.newest().ifPresent(token -> fields.put("newestToken", token.toString()));
        fields.put("toGeneration", move.toGeneration());
        fields.put("by", Secrets.mask(move.by()));
        fields.put("at", move.at().toString());
        return fields;
    }

    public static List<String> lines(String resource, GuardState state) {
        List<String> lines = new ArrayList<>();
        lines.add("resource      " + resource);
        lines.add("generation    " + state.generation());
        lines.add("newest token  " + newest(state.newest()));
        lines.add("moves         " + state.moves().size());
        state.moves().forEach(move -> lines.add("              " + text(move)));
        return lines.stream().map(DisplayText::text).toList();
    }

    public static String newest(Optional<FencingToken> token) {
        return token.map(FencingToken::toString).orElse("none");
    }

    public static String text(GuardMove move) {
        return move.at() + "  from generation " + move.fromGeneration() + " (newest token " + newest(move.newest())
                + ") to " + move.toGeneration() + " by " + move.by();
    }
}
