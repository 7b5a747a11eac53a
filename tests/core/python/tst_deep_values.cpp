// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/traced_text.h"

#include <QtTest>

using namespace fx;

/// Values that hold themselves, and values that are deep: Python's own results, or its RecursionError.
class TestDeepValues : public QObject, TracedText {
    Q_OBJECT

    static constexpr const char* kCaught = "def caught(f, *args):\n    try: return f(*args)\n"
                                           "    except Exception as e: return type(e).__name__ + ': ' + str(e)\n";

private Q_SLOTS:
    void assertions_hold_data() {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArrayList>("statements");
        const auto row = [](const char* name, const char* head, const QByteArrayList& statements) {
            QTest::newRow(name) << QByteArray(head) << statements;
        };
        row("list in itself", "",
            {"a = []", "a.append(a)", "assert repr(a) == str(a) == f'{a}' == '[[...]]'",
             "assert '%s' % (a,) == '[[...]]' and a == a and a in a and a.index(a) == 0"});
        row("dict in itself", "",
            {"a = {}", "a['k'] = a", "assert repr(a) == \"{'k': {...}}\"",
             "assert repr(a.values()) == \"dict_values([{'k': {...}}])\""});
        row("view in its dict", "", {"a = {}", "a[1] = a.values()", "assert repr(a[1]) == 'dict_values([...])'"});
        row("tuple around a list", "",
            {"a = []", "t = (a, 1)", "a.append(t)", "assert repr(t) == '([(...)], 1)'",
             "assert repr(a) == '[([...], 1)]'"});
        row("lists in each other", "",
            {"a, b = [], []", "a.append(b)", "b.append(a)", "assert repr(a) == '[[[...]]]'",
             "assert caught(lambda: a == b).startswith('RecursionError: maximum')",
             "assert caught(lambda: a < b).startswith('RecursionError: maximum')"});
        row("what is shown twice is shown whole", "",
            {"a = [1]", "assert repr([a, a, {2: a}]) == '[[1], [1], {2: [1]}]'", "try: repr([a, B()])",
             "except NameError: pass", "assert repr([a]) == '[[1]]'"});
        row("an error while showing", "class B:\n    def __repr__(self): raise ValueError('no')\n",
            {"a = [1, B()]", "assert caught(repr, a) == 'ValueError: no' == caught(repr, a)"});
        row("collections in themselves", "import collections\n",
            {"d = collections.deque()", "d.append(d)", "assert repr(d) == 'deque([[...]])'",
             "o = collections.OrderedDict()", "o['a'] = o", "assert repr(o) == \"OrderedDict([('a', ...)])\"",
             "m = collections.defaultdict(list)", "m[0] = m",
             "assert repr(m) == \"defaultdict(<class 'list'>, {0: defaultdict(<class 'list'>, {...})})\""});
        row("records in themselves", "import dataclasses\n@dataclasses.dataclass\nclass D:\n    a: object = None\n",
            {"d = D()", "d.a = d", "assert repr(d) == 'D(a=...)'", "d.a = [d, 1]",
             "assert repr(d) == 'D(a=[..., 1])'"});
        row("exceptions in themselves", "",
            {"e = ValueError()", "e.args = ([e],)", "assert repr(e) == 'ValueError([ValueError([...])])'",
             "e.args = (e,)", "assert caught(repr, e).startswith('RecursionError: maximum')", "a = []", "a.append(a)",
             "assert caught(exec_, a) == 'ValueError: [[...]]'"});
        row("__dict__ in itself", "class A: pass\n",
            {"a = A()", "a.me = a.__dict__", "assert 'me' in a.__dict__", "a.list = [a.__dict__]",
             "assert len(str(a.__dict__)) > 3"});
        row("methods that return their object",
            "class A:\n    def __str__(self): return self\n    def __repr__(self): return self\n"
            "    def __hash__(self): return self\n    def __iter__(self): return self\n"
            "    def __bool__(self): return self\n    def __format__(self, s): return self\n",
            {"assert caught(str, A()) == 'TypeError: __str__ returned non-string (type A)'",
             "assert caught(repr, A()) == 'TypeError: __repr__ returned non-string (type A)'",
             "assert caught(hash, A()) == 'TypeError: __hash__ method should return an integer'",
             "assert caught(list, A()) == \"TypeError: iter() returned non-iterator of type 'A'\"",
             "assert caught(bool, A()) == 'TypeError: __bool__ should return bool, returned A'"});
        row("deep lists", "",
            {"a = []", "for _ in range(100000): a = [a]", "b = []", "for _ in range(100000): b = [b]",
             "assert caught(repr, a) == "
             "'RecursionError: maximum recursion depth exceeded while getting the repr of an object'",
             "assert caught(lambda: a == b) == 'RecursionError: maximum recursion depth exceeded in comparison'",
             "assert caught(lambda: sorted([a, b])).startswith('RecursionError')",
             "assert caught(lambda: b in [a]).startswith('RecursionError')",
             "assert caught(lambda: max(a, b)).startswith('RecursionError')", "assert len(a) == 1 and bool(a)"});
        row("deep tuples and dicts", "import copy, json\n",
            {"t = ()", "for _ in range(100000): t = (t,)", "d = {}", "for _ in range(100000): d = {1: d}",
             "assert caught(repr, d).startswith('RecursionError') and caught(repr, t).startswith('RecursionError')",
             "assert caught(lambda: isinstance(1, t)).startswith('RecursionError')",
             "assert caught(copy.deepcopy, d).startswith('RecursionError')",
             "assert caught(json.dumps, d).startswith('RecursionError')"});
        row("deep iterators and functions", "import functools\n",
            {"i = iter(range(3))", "for _ in range(100000): i = map(lambda v: v, i)",
             "assert caught(lambda: next(i)).startswith('RecursionError')", "g = lambda: 1",
             "for _ in range(100000): g = (lambda h: lambda: h())(g)",
             "assert caught(g).startswith('RecursionError')"});
        row("copies", "import copy\n",
            {"a = [1]", "a.append(a)", "b = copy.deepcopy(a)", "assert b is not a and b[1] is b and b[0] == 1",
             "t = ([],)", "t[0].append(t)", "u = copy.deepcopy(t)", "assert u is not t and u[0][0] is u",
             "s = (1, 'a', (2,))", "assert copy.deepcopy(s) is s", "c = copy.deepcopy([{1, 2}, frozenset({3})])",
             "assert c == [{1, 2}, frozenset({3})]"});
        row("JSON of what holds itself", "import json\n",
            {"a = []", "a.append(a)", "assert caught(json.dumps, a) == 'ValueError: Circular reference detected'",
             "b = [1]", "assert json.dumps([b, b]) == '[[1], [1]]'"});
        row("slices with steps", "",
            {"a = list(range(6))", "a[::2] = 'xyz'", "assert a == ['x', 1, 'y', 3, 'z', 5]", "a[::-1] = range(6)",
             "assert a == [5, 4, 3, 2, 1, 0]", "a = list(range(6))", "a[4:1:-2] = [7, 8]",
             "assert a == [0, 1, 8, 3, 7, 5]", "del a[::-2]", "assert a == [0, 8, 7]", "del a[::2]", "assert a == [8]",
             "a[1:0] = [1, 2]", "assert a == [8, 1, 2]", "a[5:] = a", "assert a == [8, 1, 2, 8, 1, 2]", "a[:] = []",
             "assert a == []", "a[::3] = []"});
        row("slices that do not fit", "def put(a, s, v): a[s] = v\ndef drop(a, s): del a[s]\n",
            {"a = [0, 1, 2]",
             "assert caught(put, a, slice(None, None, 2), [1]) == "
             "'ValueError: attempt to assign sequence of size 1 to extended slice of size 2'",
             "assert caught(put, a, slice(None, None, -1), range(6)) == "
             "'ValueError: attempt to assign sequence of size 6 to extended slice of size 3'",
             "assert caught(put, a, slice(None, None, 0), []) == 'ValueError: slice step cannot be zero'",
             "assert caught(drop, a, slice(0, 1, 0)) == 'ValueError: slice step cannot be zero'",
             "assert caught(lambda: a[::0]) == 'ValueError: slice step cannot be zero'",
             "assert caught(lambda: 'abc'[::0]) == 'ValueError: slice step cannot be zero'",
             "assert caught(lambda: a['a':]) == "
             "'TypeError: slice indices must be integers or None or have an __index__ method'",
             "assert caught(put, a, 'a', 1) == 'TypeError: list indices must be integers or slices, not str'",
             "assert caught(put, a, 3, 1) == 'IndexError: list assignment index out of range'",
             "assert caught(put, a, slice(0, 1), 5) == 'TypeError: can only assign an iterable'",
             "assert a == [0, 1, 2] and a[::2 ** 62] == [0] and a[::-2 ** 62] == [2] and a[::-2 ** 63] == [2]"});
        row("ranges", "",
            {"assert range(10)[2:8:3] == range(2, 8, 3) and list(range(10)[::-4]) == [9, 5, 1]",
             "assert 10 ** 11 in range(10 ** 12) and 10 ** 12 not in range(10 ** 12) and 3 not in range(0, 9, 2)",
             "assert -3 in range(5, -5, -2) and len(range(10 ** 12)) == 10 ** 12",
             "assert next(reversed(range(10 ** 12))) == 10 ** 12 - 1 and range(-2 ** 61, 2 ** 61)[-1] == 2 ** 61 - 1",
             "assert list(range(2 ** 63 - 3, 2 ** 63 - 1)) == [2 ** 63 - 3, 2 ** 63 - 2]"});
        row("orders that contradict themselves",
            "class A:\n    def __lt__(self, other): return True\nclass B:\n    def __lt__(self, other): return False\n",
            {"assert len(sorted([A() for _ in range(200)])) == 200 and len(sorted([B() for _ in range(200)])) == 200",
             "n = float('nan')", "assert len(sorted([n, 3.0, 1.0, n, 2.0] * 40)) == 200",
             "assert sorted([3, 1, 2] * 50, reverse=True) == [3] * 50 + [2] * 50 + [1] * 50",
             "assert sorted([(1, 'b'), (0, 'c'), (1, 'a')] * 30, key=lambda p: p[0])[:31] == [(0, 'c')] * 30 + [(1, "
             "'b')]",
             "assert sorted([(1, 'b'), (1, 'a')], key=lambda p: p[0], reverse=True) == [(1, 'b'), (1, 'a')]"});
        row("methods that change what is gone through",
            "class A:\n    def __init__(self, f): self.f = f\n    def __eq__(self, other):\n        self.f()\n"
            "        return False\n    def __repr__(self):\n        self.f()\n        return 'A'\n"
            "    def __hash__(self): return 1\n",
            {"a = []", "a += [A(a.clear) for _ in range(9)]", "assert repr(a) == '[A]' and a == []",
             "a += [A(a.clear) for _ in range(9)]", "assert a.count(1) == 0 and a == []",
             "a += [A(lambda: a.extend(range(500))), 7]", "assert a.index(7) == 1 or a[1] == 7",
             "b = [A(lambda: b.clear()), 1]", "assert (b == [2, 1]) is False", "d = {}",
             "d.update({i: A(d.clear) for i in range(20)})", "assert repr(d).startswith('{0: A')",
             "k = {A(lambda: None): 1 for _ in range(12)}", "assert len(k) == 12"});
        row("texts", "",
            {"assert 'abc'.replace('', '-') == '-a-b-c-' and 'abab'.replace('ab', 'x', 1) == 'xab'",
             "assert 'a,b,c'.split(',', 1) == ['a', 'b,c'] and 'a,b,c'.rsplit(',', 1) == ['a,b', 'c']",
             "assert 'aaa'.count('a') == 3 and 'abc'.count('') == 4 and 'a\u00e9b'.replace('', '.') == '.a.\u00e9.b.'",
             "assert '\u00e9a\u00e9b'[1:4:2] == 'ab' and '\u00e9a'[-1] == 'a' and '\u00e9a'[0] == '\u00e9'",
             "assert caught(', '.join, ['a', 1]) == 'TypeError: sequence item 1: expected str instance, int found'"});
    }
    void assertions_hold() {
        QFETCH(const QByteArray, head);
        QFETCH(const QByteArrayList, statements);
        const QString traced =
            afterStatements(kCaught + QByteArray("def exec_(a): raise ValueError(a)\n") + head, statements);
        QVERIFY2(traced.contains("operator.add](args = (%x, 1)"), qPrintable(traced));
    }

    /// What stops a trace may hold values of it.
    void raisedValues_areShown_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* text, const char* said) {
            QTest::newRow(name) << QByteArray(text) << QString(said);
        };
        row("proxy", "def f(x): raise ValueError(x)\n", "ValueError: Proxy(x)");
        row("attribute of a proxy", "def f(x): raise ValueError(x.shape)\n", "ValueError: Proxy(getattr_1)");
        row("proxies in a list", "def f(x):\n    a = [x + 1]\n    a.append(a)\n    raise ValueError(a)\n",
            "ValueError: [Proxy(add), [...]]");
        row("key", "def f(x): return {}[x]\n", "KeyError: Proxy(x)");
        row("deep", "def f(x):\n    for _ in range(5000): x = [x]\n    raise ValueError(x)\n",
            "ValueError: <exception str() failed>");
        row("deep argument", "import torch\ndef f(x):\n    for _ in range(5000): x = [x]\n    return torch.relu(x)\n",
            "recursion");
        row("argument in itself", "import torch\ndef f(x):\n    a = [x]\n    a.append(a)\n    return torch.relu(a)\n",
            "recursion");
        row("wrapped",
            "import torch\n@torch.fx.wrap\ndef g(a): return a\ndef f(x):\n    a = [1]\n    a.append(a)\n"
            "    return g(a)\n",
            "recursion");
        row("result in itself", "def f(x):\n    a = [x]\n    a.append(a)\n    return a\n", "recursion");
    }
    void raisedValues_areShown() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, said);
        const QString traced = outcome(text);
        QVERIFY2(traced.contains(said), qPrintable(traced));
    }

    void chainsOfAttributes_areRecorded() {
        const QString traced = outcome("def f(x):\n    for _ in range(3000): x = x.a\n    return x\n");
        QVERIFY2(traced.contains("%getattr_3000 "), qPrintable(traced.right(200)));
        QVERIFY(
            outcome("def f(x):\n    y = x\n    for _ in range(300000): y = y.a\n    return x + 1\n").contains("add"));
    }
};

QTEST_GUILESS_MAIN(TestDeepValues)
#include "tst_deep_values.moc"
