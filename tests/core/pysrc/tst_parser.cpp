// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_tree.h"
#include "tests/core/pysrc/tree_text.h"

#include <QTest>

using namespace fx::py;
using tree_text::dump;

class TestParser : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Trees are compared with Python's in tst_pysrc_tables.
    void generatedGrammar_refusesWhatOnlyFilesHave_data() {
        QTest::addColumn<QByteArray>("source");
        for (const char* source : {"[x + 1 for x in xs]", "(x for x in f(y))", "{k: v for k, v in d}", "lambda x: x",
                                   "f'{a!r}'", "f(y := a + b)"})
            QTest::newRow(source) << QByteArray(source);
    }
    void generatedGrammar_refusesWhatOnlyFilesHave() {
        QFETCH(QByteArray, source);
        const std::string text = source.toStdString();
        QVERIFY(Parser(text, Grammar::Full).expression());
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
