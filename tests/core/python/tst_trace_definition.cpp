// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Functions of sources without a file, such as patterns. Their graphs are compared with torch.fx in
/// tests/oracle/user_patterns.py; here are the calls of a graph, and refusals.
class TestTraceDefinition : public QObject {
    Q_OBJECT

    /// The names of the calls, "relu neg add", each with its last argument if that is a number and wanted: "add=2".
    static QString calls(const char* source, bool withNumbers = false) {
        const GraphModule traced = traceFunctionSource(source, "f");
        QStringList names;
        for (const Node& node : traced.graph.nodes()) {
            if (!node.isCall()) continue;
            names << QString::fromStdString(node.name());
            const auto* number = node.args().empty() ? nullptr : node.args().back().as<std::int64_t>();
            if (number && withNumbers) names.back() += u'=' + QString::number(*number);
        }
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

    /// With the results of torch.fx.symbolic_trace.
    void python_isFollowedAsInFiles_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* title, const char* source, const char* expected) {
            QTest::newRow(title) << QByteArray(source) << QString(expected);
        };
        row("global",
            "k = 0\ndef choose():\n    global k\n    k = 5\ndef f(x):\n    choose()\n    return torch.relu(x) + k\n",
            "relu add=5");
        row("nonlocal",
            "def f(x):\n    n = 1\n    def up():\n        nonlocal n\n        n += 1\n    up()\n    return x + n\n",
            "add=2");
        row("closure bound later", "def f(x):\n    def g(y): return y * k\n    k = 3\n    return g(x)\n", "mul=3");
        row("closures of a loop",
            "def f(x):\n    fs = [lambda t: t + i for i in range(3)]\n    for g in fs: x = g(x)\n    return x\n",
            "add=2 add_1=2 add_2=2");
        row("for and else",
            "def f(x):\n    for i in range(2):\n        x = x + i\n    else:\n        x = torch.relu(x)\n    return "
            "x\n",
            "add=0 add_1=1 relu");
        row("while and else",
            "def f(x):\n    i = 0\n    while i < 2:\n        i += 1\n        if i == 2: break\n    else:\n        x = "
            "torch.relu(x)\n    return x * i\n",
            "mul=2");
        row("autocast", "def f(x):\n    with torch.autocast('cpu'):\n        x = torch.relu(x)\n    return x\n",
            "relu");
        row("own context",
            "import contextlib\n@contextlib.contextmanager\ndef three():\n    yield 3\ndef f(x):\n    with three() as "
            "k:\n        return x + k\n",
            "add=3");
        row("raise and except",
            "def f(x):\n    try:\n        raise ValueError(3)\n    except ValueError as e:\n        x = x * "
            "e.args[0]\n "
            "   return x\n",
            "mul=3");
        row("generator function",
            "def parts(x, n):\n    for i in range(n):\n        yield x + i\ndef f(x):\n    return "
            "torch.cat(list(parts(x, 2)))\n",
            "add=0 add_1=1 cat");
        row("match", "def f(x):\n    match 3:\n        case 3: return torch.relu(x)\n    return x\n", "relu");
        row("lists and dicts that change",
            "def f(x):\n    l, d = [], {}\n    for i in range(2): l.append(x + i)\n    l[0] = torch.relu(x)\n    "
            "d.setdefault('b', x * 2)\n    return torch.cat(l) + d['b']\n",
            "add=0 add_1=1 relu mul=2 cat add_2");
        row("an object of a class",
            "class P:\n    def __init__(self, k): self.k = k\n    def __call__(self, x): return x * self.k\n    "
            "@property\n    def next(self): return self.k + 1\ndef f(x):\n    return P(4)(x) + P(4).next\n",
            "mul=4 add=5");
        row("dataclass and enum",
            "import dataclasses, enum\n@dataclasses.dataclass\nclass P:\n    k: int = 2\nclass M(enum.Enum):\n    B = "
            "7\n"
            "def f(x):\n    return x * P().k + M.B.value\n",
            "mul=2 add=7");
        row("library",
            "import functools, itertools\ndef f(x, y):\n    for a in itertools.chain([x], [y]): x = x + a\n    return "
            "functools.reduce(operator.add, [x, y, 3])\n",
            "add add_1 add_2 add_3=3");
        row("sorted", "def f(x):\n    for k in sorted([1, 3], key=lambda v: -v): x = x + k\n    return x\n",
            "add=3 add_1=1");
        row("set and format", "def f(x):\n    return getattr(x, f'{\"relu\":>4}')() + len({i % 2 for i in range(5)})\n",
            "relu add=2");
        row("wrap", "torch.fx.wrap('g')\ndef g(x):\n    return x + 1\ndef f(x):\n    return g(x) * 2\n", "g mul=2");
        row("values that nest deeply",
            "def f(x):\n    y = x + 1\n    for i in range(90000):\n        x = (((x,),),)\n    return y\n", "add=1");
        row("finally after return", "def f(x):\n    try:\n        return x + 1\n    finally:\n        torch.relu(x)\n",
            "add=1 relu");
    }
    void python_isFollowedAsInFiles() {
        QFETCH(QByteArray, source);
        QFETCH(QString, expected);
        QCOMPARE(calls(source.constData(), true), expected);
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
        row("endless recursion", "def f(x):\n    return f(x)\n", "RecursionError: maximum recursion depth exceeded",
            "line 2");
        row("missing argument", "def g(x, y): return x\ndef f(x):\n    return g(x)\n",
            "TypeError: g() missing 1 required positional argument: 'y'", "line 3");
        row("deleted name", "def f(x):\n    y = x + 1\n    del y\n    return y\n", "UnboundLocalError", "line 4");
        row("failure of a callee", "def g(x):\n    x = x + 1\n    return x[missing]\ndef f(x):\n    return g(x)\n",
            "NameError: name 'missing' is not defined", "line 3");
        row("failure of the library", "import functools\ndef f(x):\n    y = x\n    return functools.reduce(max, [])\n",
            "TypeError", "line 4");
        row("lost statement", "k = 1 / 0\ndef f(x):\n    return x + k\n", "line 1 of the source failed", "line 3");
        row("unknown module", "import mine\nk = mine.k\ndef f(x):\n    return x + k\n", "'mine.k'", "line 4");
        row("result", "def f(x):\n    y = x\n    return {x}\n", "<class 'set'>", "line 3");
        row("unknown keyword", "def g(x): return x\ndef f(x):\n    return g(x, z=1)\n",
            "unexpected keyword argument 'z'", "line 3");
        row("failed assert", "def f(x):\n    assert 1 > 2, 'no'\n    return x\n", "AssertionError: no", "line 2");
        row("with", "def f(x):\n    with open('a') as g:\n        return x\n", "'open'", "line 2");
        row("raise", "def f(x):\n    raise ValueError(3)\n", "ValueError: 3", "line 2");
        row("not enough for a star", "def f(x):\n    a, *b, c = (1,)\n    return x\n", "not enough values", "line 2");
        row("a decorator that is not known",
            "import mine\ndef f(x):\n    return g(x)\n@mine.jit\ndef g(x):\n    return x\n", "decorator 'mine.jit'",
            "line 3");
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
};

QTEST_APPLESS_MAIN(TestTraceDefinition)
#include "tst_trace_definition.moc"
