// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/parser.h"
#include "core/pysrc/unparse.h"

#include <QtTest>

using namespace fx;

/// Expressions written back as CPython 3.11 does; `ast.unparse` gave the expected texts.
class TestUnparse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expression_isWrittenAsPythonDoes_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* source, const char* expected) {
            QTest::newRow(source) << QByteArray(source) << QByteArray(expected);
        };
        row("dict[str,int]|None", "dict[str, int] | None");
        row("Tuple[ torch.Tensor, ... ]", "Tuple[torch.Tensor, ...]");
        row("\"Optional[int]\"", "'Optional[int]'");
        row("Callable[[int,str],None]", "Callable[[int, str], None]");
        row("Literal['a', \"b'c\"]", "Literal['a', \"b'c\"]");
        row("x[(1,)]", "x[1,]");
        row("x[1:2, ::3]", "x[1:2, ::3]");
        row("(a|b)&c", "(a | b) & c");
        row("a|(b&c)", "a | b & c");
        row("(a-b)-c", "a - b - c");
        row("a-(b-c)", "a - (b - c)");
        row("2**-1", "2 ** (-1)");
        row("(-x)**2", "(-x) ** 2");
        row("not(a and b)or c", "not (a and b) or c");
        row("a<b", "a < b");
        row("(a if b else c)+1", "(a if b else c) + 1");
        row("f(x,*y,k=1,**z)", "f(x, *y, k=1, **z)");
        row("{'a':1,**b}", "{'a': 1, **b}");
        row("(1).real", "1 .real");
        row("()", "()");
        row("[a,(b,c)]", "[a, (b, c)]");
        row("lambda x:x", "lambda x:x"); // as in the source
    }
    void expression_isWrittenAsPythonDoes() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, expected);
        py::Parser parser(std::string_view(source.constData(), static_cast<std::size_t>(source.size())),
                          py::Grammar::Full);
        QCOMPARE(QByteArray::fromStdString(py::unparsed(*parser.expression(), parser.source())), expected);
    }
};

QTEST_APPLESS_MAIN(TestUnparse)
#include "tst_unparse.moc"
