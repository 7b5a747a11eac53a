// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/traced_text.h"

#include <QtTest>

#include <atomic>
#include <ctime>
#include <stop_token>
#include <thread>

using namespace fx;

/// Sources whose work or memory has no end, outside and inside of built-in functions.
class TestBudgets : public QObject, TracedText {
    Q_OBJECT

    static SourceOptions options() {
        SourceOptions out;
        out.name = "f";
        return out;
    }
    static QByteArray source(const QByteArray& body) {
        return "import torch, re, itertools, collections, copy, json\nimport torch.nn as nn\ndef f(x):\n    " + body +
               "\n    return x + 1\n";
    }

private Q_SLOTS:
    void work_ends_data() {
        QTest::addColumn<QByteArray>("body");
        // Sanitized programs need ten seconds for each: some of them only, of every kind.
        auto row = [count = 0](const char* body) mutable {
            if (LANCET_SLOWNESS == 1 || count++ % 8 == 0) QTest::newRow(body) << QByteArray(body);
        };
        row("while True: pass");
        row("while True: x = x + 1");
        row("try: raise ValueError()\n    except ValueError as e:\n        while True: pass");
        row("sum(range(10 ** 12))");
        row("all(range(1, 10 ** 12))");
        row("any(0 for _ in range(10 ** 12))");
        row("min(range(10 ** 12))");
        row("max(iter(range(10 ** 12)))");
        row("sorted(range(10 ** 12))");
        row("list(range(10 ** 12))");
        row("tuple(range(10 ** 12))");
        row("set(range(10 ** 9))");
        row("dict.fromkeys(range(10 ** 9))");
        row("'a' in range(10 ** 12)");
        row("1.5 in range(10 ** 12)");
        row("[*range(10 ** 12)]");
        row("print(*range(10 ** 12))");
        row("a, *b = range(10 ** 12)");
        row("list(zip(range(10 ** 12), range(10 ** 12)))");
        row("list(enumerate(range(10 ** 12)))");
        row("list(map(str, range(10 ** 12)))");
        row("list(filter(None, range(1, 10 ** 12)))");
        row("a = list(range(2000)); list(zip(*[a] * 100000))");
        row("sum([[1]] * 100000, [])");
        row("a = [1]\n    while True: a = a + a");
        row("a = [1]\n    while True: a += a");
        row("a = [1]\n    while True: a.extend(a)");
        row("a = (1,)\n    while True: a = a + a");
        row("a = 'x'\n    while True: a = a + a");
        row("a = 'x'\n    while True: a += a");
        row("a = 'x'\n    while True: a = a * 1000");
        row("a = 'x'\n    while True: a = a.join([a, a, a])");
        row("a = 'x'\n    while True: a = a.replace('x', 'xx')");
        row("a = 'x' * 100000\n    a.replace('x', a)");
        row("a = 'x' * 100000\n    a.translate({120: a})");
        row("a = '\\t' * 1000\n    a.expandtabs(10 ** 9)");
        row("a = 'x' * 100000\n    re.sub('x', a, a)");
        row("a = 'x'\n    while True: a = f'{a}{a}'");
        row("a = 'x'\n    while True: a = '%s%s' % (a, a)");
        row("a = 'x'\n    while True: a = '{0}{0}'.format(a)");
        row("a = 'x'\n    while True: a = repr(a + a)");
        row("for _ in range(10 ** 9): re.match('(a*)*b', 'a' * 30)");
        row("re.findall('(a|aa)+$', 'a' * 40 + 'b')\n    while True: re.search('(a|aa)+$', 'a' * 25 + 'b')");
        row("a = []\n    for _ in range(60): a = [a, a]\n    str(a)");
        row("a = 'text' * 100\n    for _ in range(60): a = [a, a]\n    repr(a)");
        row("a, b = [], []\n    for _ in range(60): a, b = [a, a], [b, b]\n    a == b");
        row("a, b = [], []\n    for _ in range(60): a, b = [a, a], [b, b]\n    a < b");
        row("a = ()\n    for _ in range(60): a = (a, a)\n    hash(a)");
        row("a = ()\n    for _ in range(60): a = (a, a)\n    {a: 1}");
        row("a = frozenset()\n    for _ in range(60): a = frozenset([a, (a, a)])\n    hash(a)");
        row("a = int\n    for _ in range(60): a = (a, a)\n    isinstance('', a)");
        row("a = 1\n    for _ in range(60): a = [a, a]\n    torch.tensor(a)");
        row("a = x\n    for _ in range(60): a = [a, a]\n    torch.stack(a)");
        row("a = 1\n    for _ in range(60): a = [a, a]\n    json.dumps(a)");
        row("a = [0] * 1000000\n    while True: a.insert(0, 1)");
        row("a = [0] * 1000000\n    while True: a.append(a.pop(0))");
        row("a = [0] * 1000000\n    while True: 1 in a");
        row("a = [0] * 1000000\n    while True: a.count(1)");
        row("a = [0] * 1000000\n    while True: a.reverse()");
        row("a = [0] * 1000000\n    while True: a[1:-1]");
        row("a = [0] * 1000000\n    while True: a == [0] * 1000000");
        row("a = 'x' * 1000000\n    while True: a.count('y')");
        row("a = 'x' * 1000000\n    while True: a.upper()");
        row("a = 'x' * 1000000\n    while True: 'y' in a");
        row("a = 'x' * 1000000\n    while True: a.split('x')");
        row("a = '\\u00e9' * 500000\n    while True: a[7]");
        row("a = '\\u00e9' * 500000\n    while True: len(a)");
        row("a = {i: i for i in range(100000)}\n    while True: list(a)");
        row("a = {i: i for i in range(100000)}\n    while True: a.copy()");
        row("a = set(range(100000))\n    while True: a | a");
        row("a = set(range(100000))\n    while True: a <= a");
        row("while True: [0] * 100000");
        row("while True: bytes");
        row("list(itertools.product(range(100), repeat=100))");
        row("list(itertools.permutations(range(100)))");
        row("list(itertools.count())");
        row("list(itertools.repeat(1))");
        row("list(itertools.cycle([1]))");
        row("a = collections.deque([0] * 100000)\n    while True: a.rotate(1)");
        row("a = [0]\n    while True: a = copy.deepcopy([a, list(a)])");
        row("a = nn.ModuleList()\n    while True: a.append(nn.Identity())");
        row("def g(n):\n        while True: yield n\n    sum(g(1))");
        row("while True: x = x.a");
        row("a = {}\n    i = 0\n    while True:\n        a[i] = i\n        i += 1");
        row("class A: pass\n    i = 0\n    while True:\n        setattr(A, str(i), i)\n        i += 1");
        row("class A: pass\n    for _ in range(10 ** 9):\n        class A(A): pass");
    }
    void work_ends() {
        QFETCH(const QByteArray, body);
        qputenv("LANCET_SOURCE_MEMORY", "100"); // MiB: a tenth of the usual, for the sake of time
        const auto usual = qScopeGuard([] { qunsetenv("LANCET_SOURCE_MEMORY"); });
        const std::clock_t start = std::clock(); // of the processor: other tests run beside it
        QString said;
        try {
            traceFile(write(source(body)), options(), {});
            said = "it was traced";
        } catch (const Error& error) { said = QString::fromUtf8(error.what()); }
        const bool isTold = said.contains("stopped after 5000000 steps") || said.contains("of memory") ||
                            said.contains("repeated sequence is too long") || said.contains("RecursionError") ||
                            said.contains("match limit") || said.contains("yields more than");
        QVERIFY2(isTold, qPrintable(said));
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 10 * LANCET_SLOWNESS, qPrintable(QString::number(seconds)));
    }

    void memory_isToldWithItsPlace() {
        try {
            traceFile(write(source("a = 'x'\n    while True: a = a + a")), options(), {});
            QFAIL("it was traced");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("the values of the source need more than"), error.what());
            QVERIFY2(QString::fromStdString(error.where).contains("5"), error.where.c_str());
            QVERIFY(!error.hint.empty());
        }
    }

    void stopping_endsWorkInBuiltIns_data() {
        QTest::addColumn<QByteArray>("body");
        for (const char* body :
             {"sum(range(10 ** 12))", "a = []\n    for _ in range(60): a = [a, a]\n    str(a)",
              "list(itertools.count())", "a, b = [], []\n    for _ in range(60): a, b = [a, a], [b, b]\n    a == b",
              "a = 'x' * 100000\n    a.translate({120: a})", "'a' in range(10 ** 12)",
              "while True: re.search('(a|aa)+$', 'a' * 25 + 'b')"})
            QTest::newRow(body) << QByteArray(body);
    }
    void stopping_endsWorkInBuiltIns() {
        QFETCH(const QByteArray, body);
        const std::string file = write(source(body));
        std::stop_source stop;
        std::atomic<std::clock_t> stopped = -1;
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            stopped = std::clock();
            stop.request_stop();
        });
        bool isCancelled = false;
        try {
            traceFile(file, options(), Progress(stop.get_token()));
        } catch (const Error& error) { isCancelled = error.kind() == ErrorKind::Cancelled; }
        const std::clock_t ended = std::clock();
        later.join();
        if (!isCancelled) return; // it ended by itself, before
        const double seconds = static_cast<double>(ended - stopped) / CLOCKS_PER_SEC;
        QVERIFY2(seconds < 0.2 * LANCET_SLOWNESS, qPrintable(QString::number(seconds)));
    }

    void ordinaryWork_isDone() {
        for (const char* body :
             {"assert sum(range(10 ** 6)) == 499999500000", "assert len(','.join([str(i) for i in range(100000)])) > 5",
              "assert len(repr(list(range(200000)))) > 5",
              "a = sorted(range(100000), key=lambda v: -v); assert a[0] > 9",
              "a = {i: str(i) for i in range(200000)}; assert a[5] == '5'",
              "assert torch.tensor([[1.0] * 100] * 20).shape == (20, 100)",
              "a = []\n    for i in range(100000): a.append(i)\n    while a: a.pop()",
              "a = {i: i for i in range(50000)}\n    while a: a.popitem()",
              "a = set(range(50000))\n    while a: a.pop()", "assert re.sub('a', 'bb', 'a' * 10000) == 'b' * 20000",
              "assert len(nn.ModuleList(nn.Identity() for _ in range(15000))) == 15000"}) {
            try {
                traceFile(write(source(body)), options(), {});
            } catch (const Error& error) { QFAIL(qPrintable(QString(body) + ": " + error.what())); }
        }
    }
};

QTEST_GUILESS_MAIN(TestBudgets)
#include "tst_budgets.moc"
