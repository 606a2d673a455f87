package dev.holdfast.simulation;

import dev.holdfast.simulation.RedisMemory.RedisError;
import dev.holdfast.simulation.RedisMemory.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.LuaNatives;
import party.iroiro.luajava.lua51.Lua51;

/**
 * Runs scripts as Redis does, in a real Lua 5.1. One for each thread: every script is compiled once, and each run names the
 * memory it works on. Values cross over one by one, through the bare C functions; none of ours needs many places on the
 * stack, so that nobody has to ask for them each time.
 */
public final class LuaMachine implements AutoCloseable {
    private static final int STACK = 200;
    private static final int BOOLEAN = 1;
    private static final int NUMBER = 3;
    private static final int STRING = 4;
    private static final int TABLE = 5;
    /** From here on a double is not a whole number for certain. */
    private static final double WHOLE = 1L << 53;

    private final Lua lua = new Lua51();
    private final LuaNatives c = lua.getLuaNatives();
    private final long state = lua.getPointer();
    private final Map<String, Integer> compiled = new HashMap<>();
    private @Nullable RedisMemory memory;

    public LuaMachine() {
        for (String library : List.of("_G", "string", "table", "math")) {
            lua.openLibrary(library);
        }
        lua.checkStack(STACK);
        lua.load(prelude());
        lua.push(this::call);
        lua.pCall(1, 0);
    }

    private static String prelude() {
        try (InputStream in = LuaMachine.class.getResourceAsStream("redis.lua")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs a script to its end. A single value comes as a list of one.
     *
     * @throws RedisError as the server would answer
     */
    public List<Object> eval(RedisMemory on, String source, String[] keys, String[] arguments) {
        memory = on;
        try {
            lua.refGet(compiled.computeIfAbsent(source, this::compile));
            global("KEYS", keys);
            global("ARGV", arguments);
            lua.pCall(0, 1);
            Object answer = read(1);
            return answer instanceof List<?> list ? listOf(list) : listOf(Arrays.asList(answer));
        } catch (LuaException e) {
            throw new RedisError(said(e));
        } finally {
            c.lua_settop(state, 0);
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Object> listOf(List<?> list) {
        return (List<Object>) list;
    }

    private static String said(LuaException e) {
        String message = String.valueOf(e.getMessage());
        return message.startsWith("ERR ") || message.startsWith("WRONGTYPE") ? message : "ERR " + message;
    }

    private int compile(String source) {
        lua.load(source);
        return lua.ref();
    }

    private void global(String name, String... values) {
        c.lua_createtable(state, values.length, 0);
        for (int i = 0; i < values.length; i++) {
            c.luaJ_pushstring(state, values[i]);
            c.lua_rawseti(state, -2, i + 1);
        }
        c.lua_setglobal(state, name);
    }

    // ---- redis.call

    private int call(Lua caller) {
        String[] args = new String[c.lua_gettop(state)];
        for (int i = 0; i < args.length; i++) {
            args[i] = argument(i + 1);
        }
        try {
            push(Objects.requireNonNull(memory).call(args));
            return 1;
        } catch (RedisError e) {
            c.lua_pushboolean(state, 0);
            c.luaJ_pushstring(state, String.valueOf(e.getMessage()));
            return 2;
        }
    }

    /** Lua's own conversion keeps 14 digits, that of Redis all of them. */
    private String argument(int at) {
        if (c.lua_type(state, at) == NUMBER) {
            double number = c.lua_tonumber(state, at);
            if (number == Math.rint(number) && Math.abs(number) < WHOLE) {
                return Long.toString((long) number);
            }
        }
        return String.valueOf(c.lua_tostring(state, at));
    }

    private void push(@Nullable Object value) {
        if (value == null) {
            c.lua_pushboolean(state, 0);
        } else if (value instanceof Long number) {
            c.lua_pushnumber(state, number);
        } else if (value instanceof String text) {
            c.luaJ_pushstring(state, text);
        } else if (value instanceof Status status) {
            lua.createTable(0, 1);
            lua.push(status.text());
            lua.setField(-2, "ok");
        } else {
            List<?> list = (List<?>) value;
            c.lua_createtable(state, list.size(), 0);
            for (int i = 0; i < list.size(); i++) {
                push(list.get(i));
                c.lua_rawseti(state, -2, i + 1);
            }
        }
    }

    // ---- answers

    private @Nullable Object read(int at) {
        return switch (c.lua_type(state, at)) {
            case NUMBER -> (Long) (long) c.lua_tonumber(state, at);
            case STRING -> c.lua_tostring(state, at);
            case BOOLEAN -> lua.toBoolean(at) ? (Long) 1L : null;
            case TABLE -> readTable(at);
            default -> null;
        };
    }

    private Object readTable(int at) {
        int size = lua.rawLength(at);
        if (size == 0) {
            String problem = field(at, "err");
            if (problem != null) {
                throw new RedisError(problem);
            }
            String status = field(at, "ok");
            if (status != null) {
                return status;
            }
        }
        List<@Nullable Object> list = new ArrayList<>(size);
        for (int i = 1; i <= size; i++) {
            c.luaJ_rawgeti(state, at, i);
            int top = c.lua_gettop(state);
            list.add(read(top));
            c.lua_settop(state, top - 1);
        }
        return list;
    }

    private @Nullable String field(int at, String name) {
        lua.getField(at, name);
        String text = lua.isString(-1) ? lua.toString(-1) : null;
        lua.pop(1);
        return text;
    }

    @Override
    public void close() {
        lua.close();
    }
}
