package bench;

import java.util.Random;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.tool.Grammar;

/** ANTLR: analyses a grammar, then parses generated programs with it and walks the trees. */
public final class Antlr extends Workload {
    private static final String GRAMMAR = "grammar Mini;\n"
            + "program: statement* EOF;\n"
            + "statement: 'if' '(' expr ')' statement ('else' statement)? | 'while' '(' expr ')' statement\n"
            + "  | '{' statement* '}' | ID '=' expr ';' | 'return' expr? ';' | expr ';'\n"
            + "  | 'def' ID '(' (ID (',' ID)*)? ')' '{' statement* '}';\n"
            + "expr: expr '(' (expr (',' expr)*)? ')' | expr '[' expr ']' | '-' expr | expr ('*'|'/') expr\n"
            + "  | expr ('+'|'-') expr | expr ('<'|'>'|'==') expr | expr '&&' expr | '(' expr ')' | ID | INT | STRING;\n"
            + "ID: [a-z]+; INT: [0-9]+; STRING: '\"' ~[\"]* '\"'; WS: [ \\t\\r\\n]+ -> skip;\n"
            + "COMMENT: '//' ~[\\n]* -> skip;\n";
    private String program;
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Antlr(), args);
    }

    @Override
    protected void prepare(Options options) {
        Random random = new Random(81);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < 120; i++) statement(random, out, 4);
        program = out.toString();
        repeats = options.pick(6, 60);
    }

    @Override
    protected long iterate() throws Exception {
        Sum sum = new Sum();
        Grammar grammar = new Grammar(GRAMMAR);
        for (int i = 0; i < repeats; i++) {
            LexerInterpreter lexer = grammar.createLexerInterpreter(CharStreams.fromString(program));
            ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(lexer));
            ParseTree tree = parser.parse(grammar.rules.get("program").index);
            if (parser.getNumberOfSyntaxErrors() != 0) throw new IllegalStateException("syntax errors");
            sum.add(walk(tree, 0));
        }
        return sum.get();
    }

    private static long walk(ParseTree tree, int depth) {
        int children = tree.getChildCount();
        if (children == 0) return tree.getText().hashCode() + depth;
        long total = children;
        for (int i = 0; i < children; i++) total = total * 5 + walk(tree.getChild(i), depth + 1);
        return total;
    }

    private static void statement(Random random, StringBuilder out, int depth) {
        switch (depth == 0 ? 3 + random.nextInt(2) : random.nextInt(6)) {
            case 0 -> {
                out.append("if (");
                expression(random, out, 3);
                out.append(") {\n");
                statement(random, out, depth - 1);
                out.append("} else ");
                statement(random, out, depth - 1);
            }
            case 1 -> {
                out.append("while (a < ").append(random.nextInt(100)).append(") {\n");
                for (int i = random.nextInt(4); i >= 0; i--) statement(random, out, depth - 1);
                out.append("}\n");
            }
            case 2 -> {
                out.append("def f(a, b, c) {\n");
                for (int i = random.nextInt(4); i >= 0; i--) statement(random, out, depth - 1);
                out.append("return a; }\n");
            }
            case 3 -> {
                out.append("x = ");
                expression(random, out, 4);
                out.append("; // note\n");
            }
            default -> {
                out.append("call(");
                expression(random, out, 3);
                out.append(", \"text\");\n");
            }
        }
    }

    private static void expression(Random random, StringBuilder out, int depth) {
        switch (depth == 0 ? 4 + random.nextInt(2) : random.nextInt(6)) {
            case 0, 1 -> {
                expression(random, out, depth - 1);
                out.append(random.nextBoolean() ? " + " : " * ");
                expression(random, out, depth - 1);
            }
            case 2 -> {
                out.append('(');
                expression(random, out, depth - 1);
                out.append(" < ");
                expression(random, out, depth - 1);
                out.append(')');
            }
            case 3 -> {
                out.append("f(");
                expression(random, out, depth - 1);
                out.append(")[i]");
            }
            case 4 -> out.append("abcxyz".charAt(random.nextInt(6)));
            default -> out.append(random.nextInt(1000));
        }
    }
}
