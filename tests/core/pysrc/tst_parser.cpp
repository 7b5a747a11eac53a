// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_tree.h"

#include <QTest>

using namespace fx::py;

namespace {
/// The tree as an S-expression, so that precedence shows.
std::string dump(const Expr* expr) {
    if (!expr) return "_";
    const auto list = [&](std::string head) {
        for (const auto* item : expr->items) head += " " + dump(item);
        return "(" + head + ")";
    };
    switch (expr->kind) {
    case ExprKind::Name: return std::string(expr->text);
    case ExprKind::Constant: return fx::reprOf(fx::Graph(), *expr->constant);
    case ExprKind::Attribute: return list("." + std::string(expr->text));
    case ExprKind::Subscript: return list("[]");
    case ExprKind::Tuple: return list("tuple");
    case ExprKind::List: return list("list");
    case ExprKind::Set: return list("set");
    case ExprKind::Dict: return list("dict");
    case ExprKind::Slice: return list("slice");
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Compare: return list(std::string(expr->text));
    case ExprKind::Conditional: return list("if");
    case ExprKind::Starred: return list("*");
    case ExprKind::Comprehension: return list("all" + std::string(expr->text));
    case ExprKind::Clause: return list("for");
    case ExprKind::Lambda: return list("lambda");
    case ExprKind::Named: return list(":= " + std::string(expr->text));
    case ExprKind::Joined: return list("f");
    case ExprKind::Formatted: return list("{}" + std::string(expr->text));
    case ExprKind::Yield: return list("yield" + std::string(expr->text));
    case ExprKind::Call: {
        std::string out = "(call " + dump(expr->items[0]);
        for (const auto& argument : expr->arguments)
            out += " " + (argument.name.empty() ? "" : std::string(argument.name) + "=") + dump(argument.value);
        return out + ")";
    }
    }
    return "?";
}
} // namespace

class TestParser : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void expression_precedence_isPythons_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("tree");
        const auto row = [](const char* source, const char* tree) {
            QTest::newRow(source) << QByteArray(source) << QByteArray(tree);
        };
        row("a + b * c ** -d", "(+ a (* b (** c (- d))))");
        row("-a ** 2", "(- (** a 2))");
        row("a - b - c", "(- (- a b) c)");
        row("not a == b and c or d", "(or (and (not (== a b)) c) d)");
        row("a < b <= c", "(and (< a b) (<= b c))");
        row("a not in b is not c", "(and (not in a b) (is not b c))");
        row("x if a else y", "(if x a y)");
        row("a | b ^ c & d << e", "(| a (^ b (& c (<< d e))))");
        row("f(x, *a, k = 1, **d)[1:, ::2, None].g",
            "(.g ([] (call f x *=a k=1 **=d) (tuple (slice 1 _ _) (slice _ _ 2) None)))");
        row("getattr(self.layer1, \"0\").conv(x)", "(call (.conv (call getattr (.layer1 self) '0')) x)");
        row("(1,)", "(tuple 1)");
        row("()", "(tuple)");
        row("[a, *b]", "(list a (* b))");
        row("{'a': 1, **d}", "(dict 'a' 1 _ d)");
        row("{1, 2}", "(set 1 2)");
        row("'a' \"b\"", "'ab'");
        row("x[...]", "([] x Ellipsis)");
        row("a @ b // c % d", "(% (// (@ a b) c) d)");
    }
    void fullGrammar_readsComprehensionsAndLambda_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("tree");
        const auto row = [](const char* source, const char* tree) {
            QTest::newRow(source) << QByteArray(source) << QByteArray(tree);
        };
        row("[x + 1 for x in xs]", "(all[ (+ x 1) (for x xs))");
        row("[x for a, b in xs if a if b for x in b]", "(all[ x (for (tuple a b) xs a b) (for x b))");
        row("(x for x in f(y))", "(all( x (for x (call f y)))");
        row("sum(x for x in xs)", "(call sum (all( x (for x xs)))");
        row("{k: v for k, v in d}", "(all{ k v (for (tuple k v) d))");
        row("lambda x, y=1: x * y", "(lambda (* x y))");
        row("lambda: [lambda z: z for z in q]", "(lambda (all[ (lambda z) (for z q)))");
        row("f'{a!r}-{b:.2f}'", "(f '' ({}!r a) '-' ({}:.2f b) '')");
        row("f(y := a + b)", "(call f (:= y (+ a b)))");
        row("[a if b else c for d in e]", "(all[ (if a b c) (for d e))");
    }
    void fullGrammar_readsComprehensionsAndLambda() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, tree);
        const std::string text = source.toStdString();
        Parser full(text, Grammar::Full);
        QCOMPARE(QByteArray::fromStdString(dump(full.expression())), tree);
        Parser generated(text);
        QVERIFY_THROWS_EXCEPTION(fx::Error, generated.expression());
    }

    void sourceTree_knowsBodies() {
        const SourceTree tree("def f(x):\n    for i in y:\n        a; b\n    else:\n        c\n    if d: e; g\n    "
                              "return x\nclass K(B):\n    z = 1\n");
        const auto body = [&](std::size_t head) { return tree.bodyEnd(head) - head - 1; };
        QCOMPARE(tree.size(), 12u);
        QCOMPARE(body(0), 9u);  // def
        QCOMPARE(body(1), 2u);  // for
        QCOMPARE(body(4), 1u);  // else
        QCOMPARE(body(6), 2u);  // if with its body in the line
        QCOMPARE(body(10), 1u); // class
        QCOMPARE(tree[10].kind, StmtKind::Class);
        QCOMPARE(body(9), 0u);
    }

    void expression_precedence_isPythons() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, tree);
        const std::string text = source.toStdString();
        Parser parser(text);
        QCOMPARE(QByteArray::fromStdString(dump(parser.expression())), tree);
    }
    void statements_generatedBody_comeOneByOne() {
        const std::string source = "from math import sqrt as math_sqrt\nimport a.b as c\n\n"
                                   "def forward(self, x : torch.Tensor, y = 2.0, *args, k=1, **kw) -> torch.Tensor:\n"
                                   "    a = b = self.f(x);  x = None # free\n"
                                   "    y += 2;  iadd = y\n"
                                   "    p, q, = z\n"
                                   "    t : int = 3\n"
                                   "    return (a,\n            b)\n";
        Parser parser(source);
        Stmt statement;
        QVERIFY(parser.next(statement));
        QCOMPARE(statement.kind, StmtKind::ImportFrom);
        QVERIFY(statement.text == "math");
        QVERIFY(statement.imports[0].alias == "math_sqrt");
        QVERIFY(parser.next(statement));
        QVERIFY(statement.imports[0].name == "a.b");
        QVERIFY(statement.imports[0].alias == "c");
        QVERIFY(parser.next(statement));
        QCOMPARE(statement.kind, StmtKind::Def);
        QCOMPARE(statement.parameters.size(), std::size_t{6});
        QCOMPARE(statement.parameters[3].kind, Parameter::Kind::VarArgs);
        QCOMPARE(statement.parameters[4].kind, Parameter::Kind::KeywordOnly);
        QVERIFY(statement.annotation);
        QVERIFY(parser.next(statement));
        QCOMPARE(statement.kind, StmtKind::Assign);
        QCOMPARE(statement.targets.size(), std::size_t{2});
        QCOMPARE(statement.indent, 4u);
        QVERIFY(parser.next(statement));
        QVERIFY(statement.kind == StmtKind::Assign);
        QVERIFY(statement.indent == 4);
        QVERIFY(parser.next(statement));
        QVERIFY(statement.kind == StmtKind::AugAssign);
        QVERIFY(statement.text == "+");
        QVERIFY(parser.next(statement));
        QVERIFY(parser.next(statement));
        QCOMPARE(QByteArray::fromStdString(dump(statement.targets[0])), QByteArray("(tuple p q)"));
        QVERIFY(parser.next(statement));
        QVERIFY(statement.kind == StmtKind::AnnAssign);
        QVERIFY(statement.value);
        QVERIFY(parser.next(statement));
        QVERIFY(statement.kind == StmtKind::Return);
        QCOMPARE(QByteArray::fromStdString(dump(statement.value)), QByteArray("(tuple a b)"));
        QVERIFY(!parser.next(statement));
    }
    void badSource_throwsWithPlace_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("where");
        QTest::newRow("keyword attribute") << QByteArray("a = x.for") << QByteArray("line 1, column 7");
        QTest::newRow("open string") << QByteArray("a = 1\nb = 'x") << QByteArray("line 2, column 5");
        QTest::newRow("missing bracket") << QByteArray("a = f(1\n") << QByteArray("line 1, column 6");
        QTest::newRow("missing bracket far above")
            << QByteArray("a = f(1,\n      g(2)\nb = [3]\nc = 4\n") << QByteArray("line 1, column 6");
        QTest::newRow("error before the bracket ends") << QByteArray("a = f(1 2\n)") << QByteArray("line 1, column 9");
        QTest::newRow("address") << QByteArray("a = f(<function g at 0x7f>)") << QByteArray("line 1, column 7");
        QTest::newRow("positional behind keyword") << QByteArray("a = f(b=1, c)") << QByteArray("line 1, column 12");
        QTest::newRow("parameter twice") << QByteArray("def f(a, b, a):") << QByteArray("line 1, column 13");
        QTest::newRow("default before none") << QByteArray("def f(a=1, b):") << QByteArray("line 1, column 12");
        QTest::newRow("lambda") << QByteArray("a = lambda: 1") << QByteArray("line 1, column 5");
    }
    void badSource_throwsWithPlace() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, where);
        const std::string text = source.toStdString();
        try {
            Parser parser(text);
            for (Stmt statement; parser.next(statement);) {}
            QFAIL("must throw");
        } catch (const fx::Error& error) { QCOMPARE(QByteArray::fromStdString(error.where), where); }
    }
    void deepNesting_isRefusedNotCrashed_data() {
        QTest::addColumn<QByteArray>("unit");
        for (const char* unit : {"(", "[", "f(", "x[", "-", "not ", "{", "a if b else ", "2**"})
            QTest::newRow(unit) << QByteArray(unit);
    }
    void deepNesting_isRefusedNotCrashed() {
        QFETCH(QByteArray, unit);
        const std::string text = unit.repeated(1000000).toStdString();
        Parser parser(text);
        Stmt statement;
        QVERIFY_THROWS_EXCEPTION(fx::Error, parser.next(statement));
    }
    void brokenLines_areLeftOutAfterMany() {
        const std::string text = QByteArray("f(\n").repeated(100'000).append("x = 1\n").toStdString();
        std::vector<SourceError> errors;
        const SourceTree tree(text, errors);
        QCOMPARE(errors.size(), SourceTree::kMaxErrors);
        QCOMPARE(tree.size(), SourceTree::kMaxFailed);
    }
    void longFlatSource_isReadInOneGo() {
        const std::string text =
            QByteArray("[").append(QByteArray("a.b + c, ").repeated(100000)).append("]").toStdString();
        Parser parser(text);
        QCOMPARE(parser.expression()->items.size(), 100000u);
    }
    void longChain_isRefused() {
        for (const char* link : {".b", " + c", "(c)", "[c]", " < c"}) {
            const std::string text = QByteArray("a").append(QByteArray(link).repeated(100000)).toStdString();
            Parser parser(text);
            QVERIFY_THROWS_EXCEPTION(fx::Error, parser.expression());
        }
    }
};

QTEST_APPLESS_MAIN(TestParser)
#include "tst_parser.moc"
