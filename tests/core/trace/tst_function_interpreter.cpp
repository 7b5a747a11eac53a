// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/trace/function_source.h"

#include <QtTest>

using namespace fx;

/// General Python in functions that are traced. That the graphs are torch.fx's is compared with it in
/// tests/oracle/surgery.py; here is what a graph has, and what is refused.
class TstFunctionInterpreter : public QObject {
    Q_OBJECT

    /// "relu neg add": what the calls of the graph are named.
    static QString calls(const char* source, const char* name = "f") {
        const GraphModule traced = traceFunctionSource(source, name);
        QStringList names;
        for (const Node& node : traced.graph.nodes())
            if (node.isCall()) names << QString::fromStdString(node.name());
        return names.join(' ');
    }

private Q_SLOTS:
    void generalPython_isRun_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* title, const char* source, const char* expected) {
            QTest::newRow(title) << QByteArray(source) << QString(expected);
        };
        row("for over range", "def f(x):\n    for i in range(3):\n        x = torch.relu(x)\n    return x\n",
            "relu relu_1 relu_2");
        row("for over a tuple", "def f(x):\n    for a, b in ((1, 2), (3, 4)):\n        x = x * a + b\n    return x\n",
            "mul add mul_1 add_1");
        row("break and continue",
            "def f(x):\n    for i in range(9):\n        if i % 2: continue\n        if i > 4: break\n        x = x + "
            "i\n    return x\n",
            "add add_1 add_2");
        row("if elif else",
            "def f(x, mode=None):\n    k = 'b'\n    if k == 'a':\n        x = torch.relu(x)\n    elif k == 'b':\n      "
            "  x = torch.neg(x)\n    else:\n        x = torch.abs(x)\n    return x + mode\n",
            "neg add");
        row("while",
            "def f(x):\n    n = 0\n    while n < 2:\n        x = torch.relu(x)\n        n += 1\n    return x\n",
            "relu relu_1");
        row("list comprehension",
            "def f(x, y):\n    return torch.cat([torch.relu(t) for t in (x, y) for _ in range(2) if True])\n",
            "relu relu_1 relu_2 relu_3 cat");
        row("generator", "def f(x, y):\n    return torch.cat(tuple(t + i for i, t in enumerate([x, y])))\n",
            "add add_1 cat");
        row("dict comprehension", "def f(x):\n    d = {k: x * k for k in (2, 3)}\n    return d[2] + d[3]\n",
            "mul mul_1 add");
        row("helper with default", "def g(x, k=2, *, b=1):\n    return x * k + b\ndef f(x):\n    return g(g(x), b=5)\n",
            "mul add mul_1 add_1");
        row("helper after", "def f(x):\n    return g(x)\ndef g(x):\n    return torch.neg(x)\n", "neg");
        row("star arguments",
            "def g(*xs, **kw):\n    return torch.cat(xs, **kw)\ndef f(x, y):\n    args = (x, y)\n    return g(*args, "
            "dim=1)\n",
            "cat");
        row("nested def and closure", "def f(x):\n    k = 3\n    def g(y):\n        return y * k\n    return g(x)\n",
            "mul");
        row("lambda and map", "def f(x, y):\n    a, b = map(lambda t: torch.relu(t), (x, y))\n    return a + b\n",
            "relu relu_1 add");
        row("sum and zip", "def f(x, y):\n    return sum(a * b for a, b in zip((x, y), (2, 3)))\n",
            "mul add mul_1 add_1");
        row("map is drawn one by one",
            "def f(x, y):\n    for t in map(torch.relu, (x, y)):\n        x = x + t\n    return x\n",
            "relu add relu_1 add_1");
        row("constant of the file",
            "N = 2\nKINDS = ('relu', 'neg')\ndef f(x):\n    for kind in KINDS * N:\n        x = getattr(torch, "
            "kind)(x)\n    return x\n",
            "relu neg relu_1 neg_1");
        row("recursion",
            "def g(x, n):\n    return x if n == 0 else g(torch.relu(x), n - 1)\ndef f(x):\n    return g(x, 3)\n",
            "relu relu_1 relu_2");
        row("names of a comprehension are its own",
            "def f(x):\n    i = 5\n    l = [i for i in range(3)]\n    return x + i + l[2]\n", "add add_1");
        row("one line bodies",
            "def f(x):\n    for i in (1, 2): x = x + i; x = x * i\n    if True: return x\n    return torch.neg(x)\n",
            "add mul add_1 mul_1");
        row("early return",
            "def f(x):\n    for i in range(5):\n        x = torch.relu(x)\n        if i == 1:\n            return x\n  "
            "  return torch.neg(x)\n",
            "relu relu_1");
        row("decorator",
            "def twice(g):\n    def both(x):\n        return g(g(x))\n    return both\n@twice\ndef f(x):\n    return "
            "torch.relu(x)\n",
            "relu relu_1");
        row("decorators of torch",
            "import functools\n@torch.no_grad()\n@functools.lru_cache(maxsize=3)\ndef f(x):\n    return "
            "torch.relu(x)\n",
            "relu");
        row("lambda of the file", "f = lambda x, y: torch.neg(x) + y\n", "neg add");
        row("partial",
            "import functools\ng = functools.partial(torch.sum, dim=1)\ndef f(x):\n    return g(g(x), keepdim=True)\n",
            "sum_1 sum_2");
        row("f-string",
            "def f(x):\n    n = 6\n    return getattr(F, f\"relu{n}\")(x) + float(f'{0.123:.2f}1' if False else "
            "'inf')\n",
            "relu6 add");
        row("try and finally",
            "def f(x):\n    try:\n        x = torch.relu(x)\n        x = x + missing\n    except (KeyError, "
            "NameError):\n        x = torch.neg(x)\n    finally:\n        x = x * 2\n    return x\n",
            "relu neg mul");
        row("an error in a call is handled outside",
            "def g(y):\n    z = torch.relu(y)\n    return z[missing]\ndef f(x):\n    try:\n        return g(x)\n    "
            "except NameError:\n        return torch.neg(x)\n",
            "relu neg");
        row("walrus", "def f(x):\n    return (y := torch.relu(x)) + y\n", "relu add");
        row("starred targets", "A, *B = 1, 2, 3\ndef f(x):\n    *c, d = B\n    return x * A + d * len(c)\n", "mul add");
        row("a class as namespace",
            "class C:\n    k: int = 2\n    @staticmethod\n    def act(x):\n        return torch.relu(x)\ndef f(x):\n   "
            " return C.act(x) * C.k\n",
            "relu mul");
        row("isinstance",
            "def f(x):\n    return x * 2 if isinstance(2, (int, float)) and not isinstance(x, torch.Tensor) and "
            "isinstance([1], list) else x\n",
            "mul");
        row("get of a dict", "D = {'a': torch.relu}\ndef f(x):\n    return D.get('a')(x) + D.get('b', 3)\n",
            "relu add");
        row("with no_grad, del, global",
            "N = 1\ndef f(x):\n    global N\n    with torch.no_grad():\n        y = x + N\n    del x\n    return y\n",
            "add");
        row("assert", "def f(x):\n    assert 1 + 1 == 2, 'sum'\n    return torch.relu(x)\n", "relu");
    }
    void generalPython_isRun() {
        QFETCH(QByteArray, source);
        QFETCH(QString, expected);
        QCOMPARE(calls(source.constData()), expected);
    }

    void whatCannotBeTraced_isRefusedAtItsLine_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* title, const char* source, const char* reason, const char* line) {
            QTest::newRow(title) << QByteArray(source) << QString(reason) << QString(line);
        };
        row("if on a value", "def f(x):\n    if x > 0:\n        return x\n    return -x\n", "control flow", "line 2");
        row("for over a value", "def f(x):\n    for y in x:\n        pass\n    return x\n", "cannot be iterated",
            "line 2");
        row("endless loop", "def f(x):\n    while True:\n        pass\n    return x\n", "may never end", "line");
        row("values that nest without end",
            "def f(x):\n    for i in range(90000):\n        x = (((x,),),)\n    return 1\n", "may never end", "line");
        row("endless recursion", "def f(x):\n    return f(x)\n", "nested deeper than 100", "line 2");
        row("missing argument", "def g(x, y): return x\ndef f(x):\n    return g(x)\n", "missing required argument: 'y'",
            "line 3");
        row("unknown keyword", "def g(x): return x\ndef f(x):\n    return g(x, z=1)\n",
            "unexpected keyword argument 'z'", "line 3");
        row("failed assert", "def f(x):\n    assert 1 > 2\n    return x\n", "AssertionError", "line 2");
        row("with", "def f(x):\n    with open('a') as g:\n        return x\n", "with", "line 2");
        row("raise", "def f(x):\n    raise ValueError(3)\n", "raises", "line 2");
        row("not enough for a star", "def f(x):\n    a, *b, c = (1,)\n    return x\n", "not enough values", "line 2");
        row("a decorator that is not known",
            "import mine\ndef f(x):\n    return g(x)\n@mine.jit\ndef g(x):\n    return x\n", "decorator 'mine.jit'",
            "line 3");
        row("format of an f-string", "def f(x):\n    return getattr(x, f'{3:>5}')()\n", "f-string", "line 2");
    }
    void whatCannotBeTraced_isRefusedAtItsLine() {
        QFETCH(QByteArray, source);
        QFETCH(QString, reason);
        QFETCH(QString, line);
        try {
            (void)traceFunctionSource(source.constData(), "f");
            QFAIL("traced");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString(error.what()).contains(reason), error.what());
            QVERIFY2(QString::fromStdString(error.where).startsWith(line), error.where.c_str());
        }
    }

    void deepSyntax_isRefused() {
        std::string source = "def f(x):\n";
        for (int i = 0; i < 500; ++i) source += std::string(static_cast<std::size_t>(i) + 1, ' ') + "if True:\n";
        source += std::string(501, ' ') + "return x\n";
        QVERIFY_THROWS_EXCEPTION(Error, traceFunctionSource(source, "f"));
        source = "def f(x):\n    return [1";
        for (int i = 0; i < 300; ++i) source += " for a in (1,)";
        QVERIFY_THROWS_EXCEPTION(Error, traceFunctionSource(source + "]\n", "f"));
    }
};

QTEST_APPLESS_MAIN(TstFunctionInterpreter)
#include "tst_function_interpreter.moc"
