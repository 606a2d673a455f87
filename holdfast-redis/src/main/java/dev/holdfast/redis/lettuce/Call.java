package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Script;

/** A script and what it is given. */
final class Call implements Request.Content {
    final Script script;
    final String[] keys;
    final String[] arguments;

    Call(Script script, String[] keys, String... arguments) {
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** For a server that knows the script. */
    @Override
    public Frame frame() {
        return Frame.run(script, keys, arguments);
    }

    /** For a server that is to know it from now on. */
    Frame teaching() {
        return Frame.teach(script, keys, arguments);
    }
}
