package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Reads the expression of a key and looks at everything it names. SpEL itself takes a variable that does not exist for null,
 * which would give all callers the same lock.
 */
final class LockKeyParser {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final Pattern BY_POSITION = Pattern.compile("[ap](\\d{1,3})");

    private final Method declared;
    private final BeanFactory beans;
    private final Consumer<String> problems;
    private final Map<String, Integer> positions;
    private final boolean namesKnown;
    private final Map<String, Integer> used = new HashMap<>();

    /** @param declared the method that the annotation stands on: its parameters' names count, as the author sees these */
    LockKeyParser(Method declared, BeanFactory beans, Consumer<String> problems) {
        this.declared = declared;
        this.beans = beans;
        this.problems = problems;
        @Nullable String @Nullable [] names = NAMES.getParameterNames(declared);
        namesKnown = names != null || Suspending.parameterCount(declared) == 0;
        positions = new HashMap<>();
        for (int i = 0; names != null && i < names.length; i++) {
            positions.put(names[i], i);
        }
    }

    /** Null if it cannot be read at all; other problems are reported as well. */
    @Nullable
    LockKey parse(String text) {
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            problems.accept("the key '" + text + "' is no expression: " + e.getMessage()
                    + ". A text stands in single quotes: key = \"'all'\"");
            return null;
        }
        look(expression.getAST(), true);
        return new LockKey(expression, Map.copyOf(used), beans);
    }

    /** @param atRoot whether a bare name is a property of {@link KeyRoot}, and not of what stands before it */
    private void look(SpelNode node, boolean atRoot) {
        if (node instanceof VariableReference variable) {
            variable(variable.toStringAST().substring(1));
        } else if (node instanceof FunctionReference) {
            problems.accept("the key calls " + node.toStringAST() + ", and there are no functions: use a bean");
        } else if (node instanceof BeanReference) {
            bean(node.toStringAST());
        } else if (node instanceof PropertyOrFieldReference property && atRoot) {
            property(property.getName());
        }
        boolean elements = node instanceof Projection || node instanceof Selection;
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean follows = node instanceof CompoundExpression && i > 0;
            SpelNode child = node.getChild(i);
            boolean bare = follows && child instanceof PropertyOrFieldReference;
            look(child, atRoot && !elements && !bare);
        }
    }

    private void variable(String name) {
        if (name.equals("root") || name.equals("this")) {
            return;
        }
        Integer position = positions.get(name);
        Matcher byPosition = BY_POSITION.matcher(name);
        if (position == null && byPosition.matches()) {
            position = Integer.valueOf(byPosition.group(1));
        }
        if (position != null && position < Suspending.parameterCount(declared)) {
            used.put(name, position);
        } else if (namesKnown) {
            problems.accept("the key names #" + name + ", and the method has no such parameter");
        } else {
            problems.accept("the key names #" + name
                    + ", and the names of the parameters are not in the class file: compile with"
                    + " -parameters, or name it by position (#p0, #p1)");
        }
    }

    private void bean(String reference) {
        String name = reference.substring(1).replace("'", "");
        if (!beans.containsBean(name)) {
            problems.accept("the key uses the bean '" + name + "', and there is none of that name");
        }
    }

    private void property(String name) {
        if (!KeyRoot.PROPERTIES.contains(name)) {
            problems.accept("the key names '" + name + "', which is neither a parameter (write #" + name
                    + ") nor a text (write '" + name + "' in single quotes) nor one of " + KeyRoot.PROPERTIES);
        }
    }
}
