// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/python/traced_text.h"

#include <QtTest>

using namespace fx;

/// What programs mean in Python: sources whose assertions hold there must be traced here.
class TestSourceSemantics : public QObject, TracedText {
    Q_OBJECT

private Q_SLOTS:
    void assertions_hold_data() {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArrayList>("statements");
        const auto row = [](const char* name, const char* head, const QByteArrayList& statements) {
            QTest::newRow(name) << QByteArray(head) << statements;
        };
        row("frozen sets, queues and counters keep their kind",
            "import collections, functools\ndef caught(f, *args):\n    try: return f(*args)\n"
            "    except Exception as e: return type(e).__name__\n",
            {"a = frozenset((1, 2))", "assert repr(a | {3}) == repr(a.union([3])) == 'frozenset({1, 2, 3})'",
             "assert type({1} | a) is set and type(a.copy()) is frozenset and hash(a - {1}) == hash(frozenset((2,)))",
             "assert not hasattr(a, 'add') and not hasattr(a, 'pop') and hasattr({1}, 'pop')", "b = {1}",
             "c = b.union()", "c.add(2)", "assert b == {1}", "d = collections.deque([1, 2], 3)",
             "assert repr(d * 2) == 'deque([2, 1, 2], maxlen=3)' and repr(d + d) == 'deque([2, 1, 2], maxlen=3)'",
             "assert repr(d.copy()) == 'deque([1, 2], maxlen=3)' and d == collections.deque([1, 2])",
             "assert repr(collections.Counter('aab').copy()) == \"Counter({'a': 2, 'b': 1})\"",
             "assert caught(lambda: {slice(1): 2}) == caught(hash, slice(1)) == caught(lambda: {slice(1)}) == "
             "'TypeError'",
             "assert caught(functools.reduce, min, []) == caught(functools.partial, 3) == 'TypeError'"});
        row("items are drawn one by one", "",
            {"y = [0]", "y.extend(y[-1] + 1 for _ in range(3))", "y += (y[-1] * 2 for _ in range(2))",
             "assert y == [0, 1, 2, 3, 6, 12]", "d = {0: 1}", "d.update((i, d[i - 1] + 1) for i in (1, 2))",
             "assert d == {0: 1, 1: 2, 2: 3}", "s = {0}", "s.update(len(s) for _ in range(3))",
             "assert s == {0, 1, 2, 3}", "i = iter(range(9))", "a, b, *c = zip(i, 'ab')", "assert next(i) == 3",
             "u, v = iter((1, 2))", "assert max((0, (v := v + 1))[1] for _ in range(2)) == 4"});
        row("sets of numbers are in CPython's order", "",
            {"s = {100, 33, 7, 64, 8, -1}", "assert list(s) == [64, 33, 100, 7, 8, -1] == list(set(list(s)))",
             "assert list(s & {8, 100, 7}) == [8, 100, 7] and list(s - {7}) == [64, 33, 100, 8, -1]",
             "assert list(s | {3, 2}) == [64, 33, 2, 3, 100, 7, 8, -1] and repr({2.5, 1, 0.5}) == '{0.5, 1, 2.5}'"});
        row("values of immutable types come from __new__",
            "import collections\nclass Twice(int):\n    def __new__(cls, v): return super().__new__(cls, v * 2)\n"
            "class P(collections.namedtuple('P', 'a b')):\n"
            "    def __new__(cls, a): return super().__new__(cls, a, a)\n",
            {"assert Twice(3) == 6 and [0, 1, 2][Twice(1)] == 2 and P(4) == (4, 4) and P(4).b == 4"});
        row("each operand of a chain is evaluated once", "",
            {"seen = []", "assert 1 < (seen.append(2) or 2) < 3 and seen == [2]"});
        row("widths with prefixes", "",
            {"assert f'{255:#010x}' == '0x000000ff'", "assert f'{-255:#010x}' == '-0x00000ff'",
             "assert f'{7:<03}' == '700'", "assert f'{\"a\":05}' == 'a0000'"});
        row("groups of digits", "",
            {"assert f'{1234567:_}' == '1_234_567'", "assert f'{65535000:_b}' == '11_1110_0111_1111_1100_0001_1000'",
             "assert f'{123456:08,}' == '0,123,456'", "assert f'{1:04_}' == '0_001'", "assert f'{1e20:,}' == '1e+20'"});
        row("types of formats", "",
            {"assert f'{1.5:.3E}' == '1.500E+00'", "assert f'{True:d}' == '1'", "assert f'{65:c}' == 'A'",
             "assert f'{1.0:#.0f}' == '1.'", "assert f'{100.0:.3}' == '1e+02' and f'{3.0:.3}' == '3.0'"});
        row("formats of percent", "",
            {"assert '%#x %05d %+d' % (255, 42, 3) == '0xff 00042 +3'",
             "assert '%(a)s|%(a)4d|' % {'a': 1} == '1|   1|'", "assert '%-5s|%c%%' % ('a', 'b') == 'a    |b%'",
             "assert '%*d' % (4, 7) == '   7'"});
        row("hashes of numbers", "",
            {"assert hash(7) == 7 and hash(-1) == -2 and hash(2 ** 61) == 1 and hash(True) == 1",
             "assert hash(1.5) == 1152921504606846977 and hash(2.0) == 2 and hash(float('-inf')) == -314159",
             "assert hash((1, 2)) == -3550055125485641917 and hash(()) == 5740354900026072187"});
        row("letters beyond ASCII", "",
            {"assert '\u00e9'.isalpha() and '\u00e9'.islower() and '\u00c9a'.isalnum() and not '\u00c9'.islower()",
             "assert '\u0665'.isdigit() and not '\u00bd'.isdigit() and '\u00bd'.isnumeric() and not ''.isalpha()"});
        row("keys with methods of their own",
            "class P:\n    def __init__(self, v): self.v = v\n    def __hash__(self): return hash(self.v)\n"
            "    def __eq__(self, o): return isinstance(o, P) and self.v == o.v\n",
            {"assert {P(1): 2}[P(1)] == 2 and len({P(1), P(1), P(2)}) == 2 and P(3) in [P(3)]",
             "assert {P(i): i for i in range(20)}[P(17)] == 17"});
        row("methods of dict before __getattr__",
            "class D(dict):\n    __getattr__ = dict.__getitem__\n    __setattr__ = dict.__setitem__\n",
            {"d = D(a=1)", "d.update(b=2)", "d.c = 3",
             "assert d.a + d.b + d['c'] == 6 and d.get('z', 7) == 7 and len(list(d.items())) == 3"});
        row("everything of typing and math", "from typing import *\nfrom math import *\n",
            {"assert Optional[int] is not None and List[int] is not None and sqrt(4) == 2 and pow(2, 3) == 8.0"});
        row("random states", "import torch\n",
            {"torch.manual_seed(3)", "a = torch.randint(2, 60, (3,)).tolist()",
             "with torch.random.fork_rng(): torch.rand(4)", "b = torch.randperm(5).tolist()", "torch.manual_seed(3)",
             "assert a == torch.randint(low=2, high=60, size=(3,)).tolist() and b == torch.randperm(5).tolist()"});
        row("qualified names",
            "class A:\n    class B:\n        def m(self):\n            return lambda: 0\n"
            "def g():\n    class L: pass\n    return L\n",
            {"assert A.B.__qualname__ == 'A.B' and A.B.__name__ == 'B' and A.B.m.__qualname__ == 'A.B.m'",
             "assert A.B().m().__qualname__ == 'A.B.m.<locals>.<lambda>'",
             "assert g().__qualname__ == 'g.<locals>.L' and 'A.B' in repr(A.B)", "A.B.__name__ = 'C'",
             "assert A.B.__name__ == 'C'"});
        row("__getattr__ of modules, and partial methods",
            "import functools\nfrom torch import nn\nclass A(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.l = nn.Linear(2, 2)\n"
            "    def scaled(self, k, by=1): return k * by\n    twice = functools.partialmethod(scaled, by=2)\n"
            "    def __getattr__(self, name):\n        try: return super().__getattr__(name)\n"
            "        except AttributeError: return getattr(super(A, self).__getattr__('l'), name)\n",
            {"a = A()", "assert a.in_features == 2 and a.l.out_features == 2 and a.twice(4) == 8",
             "assert nn.Module.__getattr__(a, 'l') is a.l and not hasattr(a, 'nothing')"});
        row("names of functions around",
            "def outer():\n    n, (m, *rest) = 0, (1, 2)\n    for k in range(2): pass\n"
            "    def add():\n        nonlocal n, m, rest, k\n        n, m, k = n + 1, m + 1, k + 5\n"
            "        def more():\n            nonlocal n\n            n += 10\n        more()\n"
            "        return n\n    add()\n    return n, m, k\n",
            {"assert outer() == (11, 2, 6)"});
        row("nothing is drawn on meta", "import torch\nfrom torch import nn\n",
            {"torch.manual_seed(3)", "a = torch.randperm(9).tolist()", "torch.manual_seed(3)",
             "with torch.device('meta'): l, t = nn.Linear(3, 3), nn.Parameter(torch.rand(3))",
             "assert t.device.type == 'meta' and l.weight.device.type == 'meta'",
             "e = nn.Embedding(3, 3, device='meta')", "nn.init.normal_(e.weight)",
             "assert torch.get_default_device().type == 'cpu' and torch.randperm(9).tolist() == a"});
        row("flags",
            "import enum\nclass P(enum.Flag):\n    R = enum.auto()\n    W = enum.auto()\n"
            "class I(enum.IntFlag):\n    A = 1\n    B = 2\n",
            {"assert repr(P.R | P.W) == '<P.R|W: 3>' and str(P(0)) == 'P(0)' and repr(P.R & P.W) == '<P: 0>'",
             "assert list(P.__members__) == ['R', 'W'] and (P.R | P.W) is (P.W | P.R)",
             "assert repr(I.A | 8) == '<I.A|8: 9>' and I.A + 1 == 2 and str(I.A) == '1'"});
        row("enums",
            "import enum\nclass C(enum.Enum):\n    A = 1\n    B = (1, 2)\n    T = int\nE = enum.Enum('E', 'P Q')\n",
            {"assert C((1, 2)) is C.B and C.T.value is int and C['A'] is C.A", "assert [e.value for e in E] == [1, 2]",
             "try: C['NO']", "except KeyError: pass", "else: assert False"});
        row("subclasses of dataclasses",
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nclass B(A): pass\n"
            "@dataclass(frozen=True)\nclass F:\n    x: int = 1\nclass G(F): pass\n",
            {"assert B() == B() and B(1) != A(1) and B(1) != B(2)", "assert B() in [B()] and hash(G()) == hash(G())"});
        row("decorators for type checkers",
            "from typing_extensions import dataclass_transform, deprecated, assert_type\n"
            "@dataclass_transform(kw_only_default=True)\nclass T:\n    x = 3\n"
            "@deprecated('use g')\ndef g(a): return a\n",
            {"assert T().x == 3 and g(2) == 2 and assert_type(4, int) == 4"});
        row("named tuples",
            "import json\nfrom typing import NamedTuple\nfrom collections import namedtuple\n"
            "class P(NamedTuple):\n    a: int\n    b: float = 2.0\nQ = namedtuple('Q', 'x y', defaults=[7])\n",
            {"p = P(1)", "assert isinstance(p, tuple) and issubclass(P, tuple) and json.dumps(p) == '[1, 2.0]'",
             "a, b = p", "assert p == (1, 2.0) and (*p,) == (1, 2.0) and Q._field_defaults == {'y': 7}",
             "assert '%d %s' % p == '1 2.0'"});
        row("what is left to the other operand",
            "class A:\n    def __eq__(self, other): return NotImplemented\n    def __add__(self, other): return "
            "NotImplemented\n"
            "class B:\n    def __eq__(self, other): return True\n    def __radd__(self, other): return 5\n",
            {"assert A() == B() and A() + B() == 5 and A() != A()"});
        row("dicts as queues", "",
            {"d = {0: 0}", "for i in range(3000): d.pop(next(iter(d))); d[i + 1] = i", "assert list(d) == [3000]"});
        row("views of dicts", "from collections import OrderedDict\nfrom collections.abc import KeysView, Set\n",
            {"d = {'a': 1, 'b': 2}", "keys, items = d.keys(), d.items()", "d['c'] = 3",
             "assert repr(keys) == \"dict_keys(['a', 'b', 'c'])\" and str(d.values()) == 'dict_values([1, 2, 3])'",
             "assert repr(OrderedDict(a=1).items()) == \"odict_items([('a', 1)])\" and type(keys).__name__ == "
             "'dict_keys'",
             "assert len(items) == 3 and 'c' in keys and ('c', 3) in items and 2 in d.values() and not {}.keys()",
             "assert keys - ['a'] == {'b', 'c'} and keys & {'a': 0}.keys() == {'a'} and {'x'} | {}.keys() == {'x'}",
             "assert keys == {'a', 'b', 'c'} and keys != ['a', 'b', 'c'] and {'a'} < keys and keys.isdisjoint('xy')",
             "assert items == dict(d).items() and isinstance(keys, KeysView) and isinstance(keys, Set)",
             "assert [*keys] == sorted(d.keys()) and dict(items) == d", "try: keys[0]",
             "except TypeError as error: assert str(error) == \"'dict_keys' object is not subscriptable\"",
             "else: assert False"});
        row("classes made by calls", "from torch import nn\n",
            {"m = nn.Linear(2, 3)", "m.__class__ = type('Odd', (nn.Linear,), {'twice': lambda self: 2})",
             "assert isinstance(m, nn.Linear) and type(m).__name__ == 'Odd' and m.twice() == 2", "del type(m).twice",
             "assert not hasattr(m, 'twice')"});
        row("names that torch lacks", "import torch\nimport torch.nn.functional as F\n",
            {"assert not hasattr(torch, 'foo_bar') and getattr(F, 'foo_bar', None) is None",
             "try: from torch import foo_bar", "except ImportError: foo_bar = 3",
             "assert foo_bar == 3 and hasattr(torch, 'relu')",
             "assert hasattr(torch, 'xpu') and hasattr(torch, 'accelerator') and hasattr(torch.nn, 'quantized')",
             "assert not torch.xpu.is_available() and not torch.backends.mps.is_available()"});
        row("the dict of an instance", "import copy\nclass C:\n    def __init__(self): self.a, self.b = 1, 2\n",
            {"c = C()", "d = copy.copy(c)", "d.__dict__.pop('b', None)", "d.__dict__['e'] = 3",
             "assert vars(c) == {'a': 1, 'b': 2} and not hasattr(d, 'b') and d.e == 3"});
        row("arrays", "import numpy as np\n",
            {"a = np.arange(6).reshape(2, 3)", "assert a[:, 1].tolist() == [1, 4] and a[None].shape == (1, 2, 3)",
             "a[:, 0::2] = -1", "assert a.tolist() == [[-1, 1, -1], [-1, 4, -1]] and (a > 0).sum() == 2",
             "assert a[a > 0].tolist() == [1, 4] and a.max(axis=0).tolist() == [-1, 4, -1]",
             "assert np.prod([2, 3]) == 6 and (np.ones((2, 1)) * np.ones(3)).shape == (2, 3)",
             "assert np.zeros(2, dtype='float32').dtype == np.float32 and np.sqrt(16) == 4.0",
             "assert np.prod([2, 3]).item() == 6 and np.sqrt(16).astype(int) == 4 and np.float32(2).item() == 2.0",
             "assert np.issubdtype(a.dtype, np.integer) and not np.issubdtype(np.float32, np.integer)",
             "assert isinstance(2.5, (float, np.floating)) and not isinstance(2.5, np.integer)",
             "assert np.float32(0.1) != 0.1 and np.stack(np.meshgrid(np.arange(2), np.arange(3)), -1).shape == (3, 2, "
             "2)"});
        row("numbers of numpy", "import numpy as np\nimport torch\n",
            {"assert isinstance(np.float64(1), float) and not isinstance(np.float32(1), (int, float))",
             "assert isinstance(np.arange(2)[1], np.int64) and isinstance(np.linspace(0, 1, 3)[1], np.floating)",
             "assert repr([np.float32(.1), np.int64(3), np.bool_(1)]) == '[np.float32(0.1), np.int64(3), np.True_]'",
             "assert repr(np.uint8(200) + np.uint8(100)) == 'np.uint8(44)' and (np.float32(1) + 1.0).dtype == "
             "np.float32",
             "assert repr(2 * np.int64(3)) == 'np.int64(6)' and (np.int32(1) / 2).dtype == 'float64'",
             "assert torch.tensor(np.float64(.5)).dtype == torch.float64 and torch.tensor([np.int32(1), 1.0]).dtype == "
             "torch.float32",
             "assert [1, 2, 3][np.int64(1)] == 2 and {1: 2}[np.int64(1)] == 2 and list(range(np.int64(2))) == [0, 1]",
             "try: np.uint8(1) + 300", "except OverflowError as e: assert 'out of bounds for uint8' in str(e)"});
        row("text as numbers", "",
            {"assert int('0x1f', 16) == 31 and int('1_000') == 1000 and int(' -0b11 ', 0) == -3 and float(' 1_0.5') == "
             "10.5",
             "assert round(1234, -2) == 1200 and round(-1250.0, -2) == -1200.0 and pow(3, 200, 7) == 2 and 5 < 2 ** 70",
             "assert 'abc'.translate(str.maketrans('ab', 'xy', 'c')) == 'xy' and list(map(str.strip, [' a '])) == "
             "['a']",
             "assert complex(1, 2).imag == 2 and ascii('\u00e9') == \"'\\\\xe9'\" and [b for a, *b in [(1, 2)]] == "
             "[[2]]"});
        row("functions of math", "import math\n",
            {"assert math.fsum([.1] * 10) == 1.0 and math.modf(2.5) == (0.5, 2.0) and math.frexp(8) == (0.5, 4)",
             "assert math.comb(5, 2) == 10 and math.perm(5, 2) == 20 and math.dist((0, 0), (3, 4)) == 5.0"});
        row("dicts with attributes",
            "class A(dict):\n    def __init__(self, **k):\n        super().__init__(**k)\n        self.__dict__ = "
            "self\n"
            "class C(dict):\n    __getattr__ = dict.__getitem__\n    __setattr__ = dict.__setitem__\n",
            {"a, c = A(b=1), C(b=1)", "a.c = 2", "a['d'] = 3", "c.b += 4",
             "assert a == {'b': 1, 'c': 2, 'd': 3} and a.d == 3 and vars(a) == a and c == {'b': 5}"});
        row("metaclasses",
            "known = {}\nclass M(type):\n    def __new__(m, name, bases, ns, **k):\n        ns['tag'] = name.lower()\n"
            "        cls = super().__new__(m, name, bases, ns)\n        known[name] = cls\n        return cls\n"
            "    def __call__(cls, *a):\n        made = super().__call__(*a)\n        made.at = 3\n        return "
            "made\n"
            "class A(metaclass=M): pass\nclass B(A): pass\n",
            {"assert list(known) == ['A', 'B'] and B.tag == 'b' and known['B'] is B and B().at == 3"});
        row("comparisons from the right",
            "class V:\n    def __init__(self, n): self.n = n\n    def __lt__(self, o): return self.n < o.n\n"
            "    def __eq__(self, o): return [self.n]\n",
            {"a, b = V(1), V(2)", "assert b > a and max(a, b) is b and (a == b) == [1]"});
        row("arguments of programs", "import argparse\n",
            {"p = argparse.ArgumentParser()", "p.add_argument('--width', type=int, default=4)",
             "p.add_argument('-f', '--flag', action='store_true')", "p.add_argument('rest', nargs='*')",
             "o = p.parse_args(['--width=8', 'a', 'b'])",
             "assert (o.width, o.flag, o.rest) == (8, False, ['a', 'b']) and p.parse_args([]).width == 4"});
        row("dispatch by class",
            "from functools import singledispatchmethod\nclass A:\n    @singledispatchmethod\n"
            "    def f(self, v): return 0\n    @f.register\n    def _(self, v: int): return v + 1\n",
            {"assert A().f(2) == 3 and A().f('a') == 0"});
    }
    void assertions_hold() {
        QFETCH(QByteArray, head);
        QFETCH(QByteArrayList, statements);
        const QString traced = afterStatements(head, statements);
        QVERIFY2(traced.contains("add"), qPrintable(traced));
    }

    void wrongIndentation_isAnErrorInTheFile_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("dedent") << QByteArray("def f(x):\n        y = x\n    return y\n") << "unindent does not match";
        QTest::newRow("tabs") << QByteArray("def f(x):\n    if True:\n\treturn x\n") << "inconsistent use of tabs";
        QTest::newRow("indent") << QByteArray("def f(x):\n    y = x\n      z = y\n    return y\n")
                                << "unexpected indent";
        QTest::newRow("no body") << QByteArray("def f(x):\nreturn x\n") << "expected an indented block";
        QTest::newRow("end") << QByteArray("def f(x):\n") << "expected an indented block";
        QTest::newRow("octal") << QByteArray("k = 08\ndef f(x):\n    return x * k\n") << "'08' is not a number";
        QTest::newRow("conversion") << QByteArray("def f(x):\n    return f'{x!z}'\n") << "invalid conversion '!z'";
    }
    void wrongIndentation_isAnErrorInTheFile() {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        SourceOptions options;
        options.name = "f";
        try {
            traceFile(write(text), options, {});
            QFAIL("traced");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::File);
            QVERIFY2(QString(error.what()).contains(expected), error.what());
        }
    }

    void markOfUtf8_isNoPartOfTheText() {
        QVERIFY(outcome("\xEF\xBB\xBF"
                        "def f(x):\n    return x + 1\n")
                    .contains("operator.add"));
    }

    void whatTorchRefuses_isRefused_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("expected");
        const char* forward = "    def forward(self, x):\n        return self.l(x)\n";
        QTest::newRow("no super().__init__()")
            << QByteArray("    def __init__(self):\n        self.l = nn.Linear(2, 2)\n").append(forward)
            << "cannot assign module before Module.__init__() call";
        QTest::newRow("generator") << QByteArray("    def forward(self, x):\n        yield x\n")
                                   << "argument of type: <class 'generator'>";
        QTest::newRow("cycle") << QByteArray("    def __init__(self):\n        super().__init__()\n"
                                             "        self.l = nn.Sequential()\n        self.l.add_module('o', self)\n")
                                      .append(forward)
                               << "RecursionError: maximum recursion depth exceeded";
    }
    void whatTorchRefuses_isRefused() {
        QFETCH(QByteArray, body);
        QFETCH(QString, expected);
        const QString text = outcome("from torch import nn\nclass Net(nn.Module):\n" + body, "Net");
        QVERIFY2(text.contains(expected), qPrintable(text));
    }

    void objectSetattr_makesNoChild() {
        const QString text = outcome("from torch import nn\nclass Inner(nn.Module):\n    def __init__(self, outer):\n"
                                     "        super().__init__()\n        object.__setattr__(self, 'outer', outer)\n"
                                     "    def forward(self, x):\n        return x + self.outer.k\n"
                                     "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                     "        self.k = 3\n        self.inner = Inner(self)\n"
                                     "    def forward(self, x):\n        return self.inner(x)\n",
                                     "Net");
        QVERIFY2(text.contains("(%x, 3)"), qPrintable(text));
    }

    void formats_areRefusedInPythonsWords() {
        QVERIFY(afterStatements("", {"f'{1:s}'"}).contains("Unknown format code 's' for object of type 'int'"));
        QVERIFY(afterStatements("", {"f'{[1]:3}'"}).contains("unsupported format string passed to list.__format__"));
        QVERIFY(afterStatements("", {"'%d' % 'a'"}).contains("%d format: a real number is required, not str"));
        QVERIFY(afterStatements("", {"'%d' % (1, 2)"}).contains("not all arguments converted"));
    }

    void numbersOfNumpy_areRefusedByNodes() {
        const auto said = [&](const char* result) {
            return outcome("import numpy as np\ndef f(x): return " + QByteArray(result) + "\n");
        };
        QVERIFY(said("x * np.float64(.5)").contains("(%x, 0.5)"));
        QVERIFY(said("x * np.float32(.5)").contains("argument of type: <class 'numpy.float32'>"));
        QVERIFY(said("x.view(-1, np.int64(5))").contains("argument of type: <class 'numpy.int64'>"));
        QVERIFY(said("np.float64(.5) * x").contains("invalid __array_struct__"));
        QVERIFY(said("np.sqrt(x)").contains("invalid __array_struct__"));
    }

    void compiledFunctions_takeNoProxies() {
        QVERIFY(outcome("import torch\n@torch.jit.script\ndef g(x): return x + 1\ndef f(x): return g(x)\n")
                    .contains("g() Expected a value of type 'Tensor (inferred)'"));
    }

    void nonlocalWithoutBinding_isASyntaxError_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* text, const char* reason) {
            QTest::newRow(name) << QByteArray(text) << QString(reason);
        };
        row("unbound", "def f(x):\n    def g():\n        nonlocal y\n        y = 1\n    return x\n",
            "no binding for nonlocal 'y' found");
        row("of the file", "y = 1\ndef f(x):\n    def g():\n        nonlocal y\n    return x\n",
            "no binding for nonlocal 'y' found");
        row("of a class",
            "def f(x):\n    class A:\n        y = 1\n        def g(self):\n            nonlocal y\n"
            "    return x\n",
            "no binding for nonlocal 'y' found");
        row("parameter", "def f(x):\n    y = 1\n    def g(y):\n        nonlocal y\n    return x\n",
            "name 'y' is parameter and nonlocal");
        row("outside", "nonlocal y\ndef f(x):\n    return x\n", "nonlocal declaration not allowed at module level");
    }
    void nonlocalWithoutBinding_isASyntaxError() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, reason);
        QCOMPARE(outcome(text), reason);
    }

    void weightsLeftOnMeta_haveNoValues() {
        SourceOptions options;
        options.name = "Net";
        const auto traced = traceFile(write("import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                            "    def __init__(self):\n        super().__init__()\n"
                                            "        with torch.device('meta'):\n"
                                            "            self.a, self.b = nn.Linear(2, 2), nn.Conv1d(1, 1, 1)\n"
                                            "        self.a.to_empty(device='cpu')\n"
                                            "    def forward(self, x):\n        return self.a(self.b(x))\n"),
                                      options, {});
        QVERIFY(traced->warnings.empty());
        const TensorRef& filled = *traced->root->child("a")->parameters[0].tensor;
        const TensorRef& left = *traced->root->child("b")->parameters[0].tensor;
        QCOMPARE(filled.device, "cpu");
        QVERIFY(filled.storage);
        QCOMPARE(left.device, "meta");
        QVERIFY(!left.storage);
    }

    /// What Lancet lacks is no exception of Python: another Python may be asked.
    void refusal_saysWhetherPythonMayFollow_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("isOutside");
        const auto row = [](const char* line, bool isOutside) { QTest::newRow(line) << QByteArray(line) << isOutside; };
        row("nn.ModuleDict({}).share_memory()", true); // torch.nn has it
        row("nn.Linear(2, 2).nothing", false);
        row("nn.Linear(2, 2) | nn.Linear(2, 2)", false);
        row("torch.set_default_dtype(torch.float64)", true);
        row("import torch.nn.utils.prune as p; p.ln_structured(nn.Linear(2, 2), 'weight', n=2, dim=0, amount=.5)",
            true);
        row("torch.nn.Embedding(2, 2).reset_parameters(nothing=1)", true);
        row("[].nothing", false);
        row("Net.nothing", false);
        row("1 / 0", false);
        row("raise AttributeError('mine')", false);
    }
    void refusal_saysWhetherPythonMayFollow() {
        QFETCH(const QByteArray, line);
        QFETCH(const bool, isOutside);
        SourceOptions options;
        options.name = "Net";
        const QByteArray text = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
                                "    def __init__(self):\n        super().__init__()\n        " +
                                line + "\n    def forward(self, x):\n        return x\n";
        try {
            traceFile(write(text), options, {});
            QFAIL("the source was traced");
        } catch (const Error& error) {
            QCOMPARE(error.message().argument("outside_scope") == "1", isOutside);
            QCOMPARE(QString::fromStdString(error.commandLineHint).contains("--python auto"), isOutside);
        }
    }

    /// Python cannot import a file that raises.
    void fileThatRaises_isRefused() {
        const QByteArray net = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n";
        const QByteArray head = "import torch\nfrom torch import nn\n";
        QVERIFY(outcome(head + "assert torch.cuda.is_available(), 'no GPU'\n" + net, "Net")
                    .endsWith("AssertionError: no GPU"));
        QVERIFY(outcome(head + net + "def g():\n    raise ValueError(1)\ng()\n", "Net").endsWith("ValueError: 1"));
    }

    void whatLancetLacks_neverAnswers_data() {
        QTest::addColumn<QByteArray>("use");
        for (const char* use : {"p.system() == 'Linux'",
                                "p.system() is None",
                                "p.system() in ('a', 'b')",
                                "'a' in [p.system()]",
                                "{'Linux': 1}.get(p.system())",
                                "{p.system(), 'a'}",
                                "bool(p.system())",
                                "str(p.system())",
                                "isinstance(p.system(), str)",
                                "callable(p.system())",
                                "hasattr(p, 'foo')",
                                "getattr(p, 'foo', 1)",
                                "'ab'[:p.system()] == 'ab'",
                                "f'{p.system()}' == 'a'",
                                "p.shuffle(items) or items",
                                "eval('1') == 1",
                                "'PATH' in os.environ",
                                "os.path.exists('/') == 1",
                                "(5).__sizeof__()",
                                "typing.get_type_hints(f) is None"})
            QTest::newRow(use) << QByteArray(use);
    }
    void whatLancetLacks_neverAnswers() {
        QFETCH(const QByteArray, use);
        const QString traced = outcome("import os, platform as p, typing\ndef f(x):\n    items = [1]\n    y = " + use +
                                       "\n    return x + (1 if y else 2)\n");
        QVERIFY2(traced.startsWith("cannot trace") || traced.contains("does not have this part"), qPrintable(traced));
    }

    void namesThatTorchLacks_areRefused() {
        QVERIFY(outcome("import torch\ndef f(x): return torch.foo_bar(x)\n")
                    .contains("module 'torch' has no attribute 'foo_bar'"));
        QVERIFY(outcome("import torch\ndef f(x): return torch.ops.aten.foo_bar(x)\n")
                    .contains("'_OpNamespace' 'aten' object has no attribute 'foo_bar'"));
    }

    void cond_choosesByNumbersOnly() {
        QVERIFY(outcome("import torch\ndef f(x): return torch.cond(True, torch.cos, torch.sin, (x,))\n")
                    .contains("torch.cos"));
        QVERIFY(outcome("import torch\ndef f(x): return torch.cond(x.sum() > 0, torch.cos, torch.sin, (x,))\n")
                    .contains("Expected pred to be bool or tensor, but got Proxy(gt)."));
    }

    void hooks_runWhereModulesAreFollowed() {
        const QString traced = outcome("import torch\nfrom torch import nn\nclass Part(nn.Module):\n"
                                       "    def forward(self, x): return x * 2\n"
                                       "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                       "        self.part = Part()\n"
                                       "        self.part.register_forward_pre_hook(lambda m, args: (args[0] - 3,))\n"
                                       "        gone = self.part.register_forward_hook(lambda m, args, out: out + 9)\n"
                                       "        gone.remove()\n"
                                       "        self.part.register_forward_hook(lambda m, args, out: out + 4)\n"
                                       "    def forward(self, x): return self.part(x)\n",
                                       "Net");
        for (const char* part : {"sub](args = (%x, 3)", "mul](args = (%sub, 2)", "add](args = (%mul, 4)"})
            QVERIFY2(traced.contains(part), qPrintable(traced));
        QVERIFY(!traced.contains("9"));
    }

    void parametrisedModules_areLeaves() {
        const QString traced = outcome("from torch import nn\nimport torch.nn.functional as F\n"
                                       "import torch.nn.utils.parametrize as P\nclass Twice(nn.Module):\n"
                                       "    def forward(self, X): return X * 2\n"
                                       "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                       "        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)\n"
                                       "        P.register_parametrization(self.a, 'weight', Twice(), unsafe=True)\n"
                                       "        P.register_parametrization(self.b, 'weight', Twice(), unsafe=True)\n"
                                       "    def forward(self, x): return F.linear(self.a(x), self.b.weight)\n",
                                       "Net");
        QVERIFY2(traced.contains("call_module[target=a]"), qPrintable(traced));
        QVERIFY2(traced.contains("call_module[target=b.parametrizations.weight](args = ()"), qPrintable(traced));
    }
};

QTEST_GUILESS_MAIN(TestSourceSemantics)
#include "tst_source_semantics.moc"
