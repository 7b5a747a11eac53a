// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/ir/print.h"
#include "tests/core/textpasses/text_pass_fixture.h"

#include <QtTest>

using namespace fx;

/// Python in a pass: its texts, classes, containers and errors.
class TestTextPassPython : public TextPassFixture {
    Q_OBJECT

private Q_SLOTS:
    void interpreters_doWhatDerivedClassesOverride() {
        GraphModule changed = model();
        const QString text = "class Tracer(fx.proxy.GraphAppendingTracer):\n"
                             "    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):\n"
                             "        return super().create_node(kind, target, args, kwargs, 'own', type_expr)\n"
                             "class T(fx.Transformer):\n"
                             "    def __init__(self, gm):\n"
                             "        super().__init__(gm)\n"
                             "        self.tracer = Tracer(self.new_graph)\n"
                             "        self.seen = []\n"
                             "    def map_nodes_to_values(self, args, n):\n"
                             "        self.seen.append(n.name)\n"
                             "        return super().map_nodes_to_values(args, n)\n"
                             "    def run_node(self, n):\n"
                             "        if n.target is torch.neg:\n"
                             "            return self.fetch_args_kwargs_from_env(n)[0][0]\n"
                             "        return super().run_node(n)\n"
                             "def f(gm):\n"
                             "    t = T(gm)\n"
                             "    made = t.transform()\n"
                             "    assert t.seen == [n.name for n in gm.graph.nodes for _ in range(2)], t.seen\n"
                             "    return made\n";
        run(changed, text);
        const QString code = QString::fromStdString(generatePython(changed.graph).text);
        QVERIFY2(code.contains("own = torch.relu(x);"), qPrintable(code));
        QVERIFY2(code.contains("own_1 = own + 1;"), qPrintable(code));
    }

    void interpreters_superOfEachOverrideIsTheirOwn() {
        QCOMPARE(printed("class T(fx.Transformer):\n"
                         "    def run(self, *args, **kwargs):\n"
                         "        print('run')\n"
                         "        return super().run(*args, **kwargs)\n"
                         "    def fetch_args_kwargs_from_env(self, n):\n"
                         "        args, kwargs = super().fetch_args_kwargs_from_env(n)\n"
                         "        print(n.name, len(args), kwargs)\n"
                         "        return args, kwargs\n"
                         "def f(gm):\n"
                         "    return T(gm).transform()\n"),
                 (QStringList{"run", "x 0 {}", "neg 1 {}", "relu 1 {}", "add 2 {}", "output 1 {}"}));
    }

    void closures_keepTheirNames_andDictsTheirOrder() {
        GraphModule changed = model();
        const QString text = "def adder(n):\n"
                             "    m = n + 1\n"
                             "    return lambda x: x + n + m\n"
                             "def counted():\n"
                             "    for i in range(3):\n"
                             "        yield i\n"
                             "def f(gm):\n"
                             "    adders = [adder(i) for i in range(5)]\n"
                             "    adder(100)\n"
                             "    assert [a(0) for a in adders] == [1, 3, 5, 7, 9]\n"
                             "    lazy = [(i * k for k in (1, 2)) for i in range(3)]\n"
                             "    assert [list(each) for each in lazy] == [[2, 4]] * 3\n"
                             "    assert list(zip(counted(), counted())) == [(0, 0), (1, 1), (2, 2)]\n"
                             "    d = {i: str(i) for i in range(12)}\n"
                             "    del d[3], d[11]\n"
                             "    d[3] = 'again'\n"
                             "    assert list(d) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 3] and len(d) == 11\n"
                             "    few = {1: 'a', True: 'b', 1.0: 'c', '1': 'd'}\n"
                             "    del few['1']\n"
                             "    assert few == {1: 'c'} and len(few) == 1 and '1' not in few\n";
        run(changed, text);
        QCOMPARE(changed.graph.size(), model().graph.size());
    }

    void regularExpressions_areThoseOfPython() {
        GraphModule model = TextPassFixture::model();
        run(model,
            "import re\n"
            "def f(gm):\n"
            "    found = re.search(r'(?P<word>[a-z]+)(\\d)?', 'über relu2', re.ASCII)\n"
            "    assert found.span() == (1, 4) and found['word'] == 'ber' and found.groups() == ('ber', None)\n"
            "    assert re.findall(r'x*', 'axb') == ['', 'x', '', '']\n"
            "    assert re.sub(r'(\\w+) (?P<b>\\w+)', r'\\g<b>-\\1', 'one two') == 'two-one'\n"
            "    assert re.sub('(?P<a>.)(?P<b>.)', r'\\g<b>\\g<a>', 'xyz') == 'yxz'\n"
            "    assert 'abcabc'.rindex('b') == 4 and 'abcabc'.find('b', 2) == 4 and 'abc'.find('c', 0, 2) == -1\n"
            "    assert re.split(r'([_.])', 'a_b.c') == ['a', '_', 'b', '.', 'c']\n"
            "    assert re.fullmatch('a.c', 'A\\nC', re.I | re.S) and not re.match('a$', 'ab')\n"
            "    assert re.compile('a\\\\Z').search('a\\n') is None and re.escape('a.b') == 'a\\\\.b'\n"
            "    return gm\n");
    }

    void functions_haveTheTextsOfPython() {
        GraphModule model = TextPassFixture::model();
        run(model,
            "import operator\n"
            "def f(gm):\n"
            "    assert str(torch.ops.aten.relu.default) == 'aten.relu.default'\n"
            "    assert repr(torch.ops.aten.relu.default) == \"<OpOverload(op='aten.relu', overload='default')>\"\n"
            "    assert str(torch.ops.aten.relu) == 'aten.relu' and str(operator.sub) == '<built-in function sub>'\n"
            "    assert f'{torch.sigmoid}'.startswith('<built-in method sigmoid of type object at 0x')\n"
            "    assert str(torch.nn.functional.relu).startswith('<function relu at 0x')\n");
    }

    void printedText_isPythons() {
        QCOMPARE(printed("def f(gm):\n"
                         "    widths = [6]\n"
                         "    print(f'|{\"ab\":>{widths[0]}}|{1.5:{widths[0]}.{len(widths)}f}|{\"k\"!r:<{2 + 3}}|')\n"),
                 QStringList{"|    ab|   1.5|'k'  |"});
        QCOMPARE(printed("def f(gm):\n"
                         "    print('', 'a', sep='-', end=';')\n"
                         "    print('b')\n"
                         "    print('c', end='')\n"),
                 (QStringList{"-a;b", "c"}));
    }

    void containers_printAsPythons() {
        QCOMPARE(printed("def f(gm):\n"
                         "    d = collections.OrderedDict(a=1, b=2)\n"
                         "    d.move_to_end('a')\n"
                         "    print(d, d.popitem(last=False), d, set(), frozenset({1}))\n"
                         "    d['c'] = 3\n"
                         "    d.move_to_end('c', last=False)\n"
                         "    print(list(d), collections.deque([1, 2], maxlen=3), collections.Counter('aab'))\n"),
                 (QStringList{"OrderedDict([('a', 1)]) ('b', 2) OrderedDict([('a', 1)]) set() frozenset({1})",
                              "['c', 'a'] deque([1, 2], maxlen=3) Counter({'a': 2, 'b': 1})"}));
    }

    void namedTuples_haveTheirMethods() {
        QCOMPARE(printed("class N(NamedTuple):\n    a: int\n    b: str = 'z'\n"
                         "def f(gm):\n"
                         "    n = N(1)._replace(a=2)\n"
                         "    print(n, n._asdict(), N._fields, N._make([3, 4]))\n"
                         "    print(collections.namedtuple('P', 'x y')(1, 2)._replace(y=5))\n"),
                 (QStringList{"N(a=2, b='z') {'a': 2, 'b': 'z'} ('a', 'b') N(a=3, b=4)", "P(x=1, y=5)"}));
    }

    void namedTuples_methodsNeedOne() {
        QCOMPARE(printed("class N(NamedTuple):\n    a: int\n"
                         "def f(gm):\n"
                         "    for method in (N._replace, N._asdict):\n"
                         "        try:\n            method(3)\n"
                         "        except (TypeError, AttributeError):\n            print('refused')\n"),
                 (QStringList{"refused", "refused"}));
    }

    void wrongCalls_areToldInPythonsOrder() {
        QCOMPARE(printed("def g(a): ...\n"
                         "def h(a, *, k): ...\n"
                         "def f(gm):\n"
                         "    for call in (lambda: g(b=1), lambda: h(1, 2, 3), lambda: g()):\n"
                         "        try:\n            call()\n"
                         "        except TypeError as e:\n            print(e)\n"),
                 (QStringList{"g() got an unexpected keyword argument 'b'",
                              "h() takes 1 positional argument but 3 were given",
                              "g() missing 1 required positional argument: 'a'"}));
    }

    void formatFields_mayHoldBraces() {
        QCOMPARE(printed("def f(gm):\n    print('{:{}>3}|{:{}}'.format('a', '{', 'b', 3))\n"), QStringList{"{{a|b  "});
    }

    void comprehensions_bindAroundThem() {
        QCOMPARE(printed("def f(gm):\n"
                         "    print([y := v * 2 for v in [1, 2]], y)\n"
                         "    print(any((m := v) > 1 for v in [1, 2, 3]), m)\n"
                         "    late = (next(late) for _ in [1, 2])\n"
                         "    try:\n        next(late)\n"
                         "    except ValueError as e:\n        print(e)\n"),
                 (QStringList{"[2, 4] 4", "True 2", "generator already executing"}));
    }

    void dataclasses_compareAndHash() {
        QCOMPARE(printed("import dataclasses\n"
                         "@dataclasses.dataclass(frozen=True, order=True)\n"
                         "class Edge:\n"
                         "    rank: int\n"
                         "    source: str = dataclasses.field(default='', compare=False)\n"
                         "@dataclasses.dataclass(eq=False)\n"
                         "class Thing:\n"
                         "    x: int = 1\n"
                         "def f(gm):\n"
                         "    edges = [Edge(2, 'a'), Edge(1, 'b')]\n"
                         "    print(min(edges), sorted(edges)[1], Edge(1) == edges[1], {Edge(2): 'found'}[edges[0]])\n"
                         "    print(Thing() == Thing())\n"),
                 (QStringList{"Edge(rank=1, source='b') Edge(rank=2, source='a') True found", "False"}));
    }

    void dictsOfModules_areTheModules() {
        GraphModule model = TextPassFixture::model();
        run(model, "def f(gm):\n"
                   "    gm.body = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Tanh())\n"
                   "    for name, child in gm.body._modules.items():\n"
                   "        if isinstance(child, torch.nn.ReLU):\n"
                   "            gm.body._modules[name] = torch.nn.Sigmoid()\n"
                   "    del gm.body._modules['1']\n"
                   "    assert gm.body._modules.pop('2') is not None\n"
                   "    gm._modules['last'] = torch.nn.Identity()\n"
                   "    with_place = gm.graph.call_module('body.0', (next(iter(gm.graph.nodes)),))\n");
        const auto body = model.root->child("body");
        QVERIFY(body);
        QVERIFY(body->child("0"));
        QCOMPARE(body->child("0")->className, std::string("Sigmoid"));
        QVERIFY(!body->child("1"));
        QVERIFY(!body->child("2"));
        QVERIFY(model.root->child("last"));
    }

    void json_writesAsPythons() {
        QCOMPARE(printed("import json, textwrap\n"
                         "def f(gm):\n"
                         "    print(json.dumps({'b': [1, 2.5, None, True], 'a': {}, 3: '\\n\u00e9'}))\n"
                         "    print(json.dumps({'b': [1], 'a': ()}, indent=1, sort_keys=True))\n"
                         "    print(textwrap.shorten('one two  three', 11), textwrap.shorten('one', 5))\n"),
                 (QStringList{"{\"b\": [1, 2.5, null, true], \"a\": {}, \"3\": \"\\n\\u00e9\"}",
                              "{\n \"a\": [],\n \"b\": [\n  1\n ]\n}", "one [...] one"}));
    }

    /// What no module is known for is not printed as if it were a value.
    void unknownModules_areRefused() {
        GraphModule model = TextPassFixture::model();
        QVERIFY_THROWS_EXCEPTION(Error, run(model, "import fractions\ndef f(gm):\n    print(fractions.Fraction(1))\n"));
    }

    void modules_printAsPythons() {
        QCOMPARE(
            printed("from torch import nn\n"
                    "def f(gm):\n"
                    "    print(nn.Linear(2, 3, bias=False), nn.Sequential(nn.ReLU(inplace=True)))\n"
                    "    print(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))\n"
                    "    try:\n        gm.get_submodule('no.where')\n"
                    "    except AttributeError as e:\n        print(e)\n"),
            (QStringList{"Linear(in_features=2, out_features=3, bias=False) Sequential(\n  (0): ReLU(inplace=True)\n)",
                         "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)",
                         QString::fromStdString(TextPassFixture::model().root->className) + " has no attribute `no`"}));
    }

    void readableCode_standsInAClass() {
        GraphModule model = TextPassFixture::model();
        run(model,
            "def f(gm):\n"
            "    text = gm.print_readable(print_output=False)\n"
            "    assert text.startswith(f'class {gm._get_name()}(torch.nn.Module):\\n    def forward(self'), text\n"
            "    assert '        # No stacktrace found for following nodes\\n' in text\n"
            "    assert type(gm).__module__ == 'torch.fx.graph_module'\n");
    }

    void abstractClasses_makeNoObjects() {
        QCOMPARE(printed("from abc import ABC, abstractmethod\n"
                         "class Base(ABC):\n"
                         "    @abstractmethod\n    def apply(self, gm): ...\n"
                         "class Derived(Base):\n"
                         "    def apply(self, gm): return 'applied'\n"
                         "def f(gm):\n"
                         "    try:\n        Base()\n"
                         "    except TypeError as e:\n        print(e)\n"
                         "    print(Derived().apply(gm))\n"),
                 (QStringList{"Can't instantiate abstract class Base with abstract method apply", "applied"}));
    }

    void metaclassesOfAbcMeta_checkToo() {
        QCOMPARE(printed("import abc\n"
                         "class Meta(abc.ABCMeta): ...\n"
                         "class Base(metaclass=Meta):\n"
                         "    @abc.abstractmethod\n    def apply(self): ...\n"
                         "def f(gm):\n"
                         "    try:\n        Base()\n"
                         "    except TypeError as e:\n        print(e)\n"),
                 QStringList{"Can't instantiate abstract class Base with abstract method apply"});
    }

    void exceptions_knowTheirCauses() {
        QCOMPARE(printed("def f(gm):\n"
                         "    try:\n"
                         "        try:\n            raise KeyError('k')\n"
                         "        except KeyError as e:\n            raise RuntimeError('wrapped') from e\n"
                         "    except RuntimeError as r:\n"
                         "        print(repr(r.__cause__), r.__context__ is r.__cause__, ValueError().__cause__)\n"),
                 QStringList{"KeyError('k') True None"});
    }

    void sizes_areShownAsSuch() {
        QCOMPARE(printed("def f(gm):\n"
                         "    weight = torch.nn.Linear(2, 3).weight\n"
                         "    print(weight.shape, tuple(weight.shape), isinstance(weight.shape, torch.Size))\n"
                         "    print(weight.shape == (3, 2), weight.size())\n"),
                 (QStringList{"torch.Size([3, 2]) (3, 2) True", "True torch.Size([3, 2])"}));
    }

    void texts_areFormattedAsPythons() {
        QCOMPARE(
            printed("def f(gm):\n"
                    "    print('%-4s|%5.2f|%03d|%4r|%x' % ('a', 1.5, 7, 'q', 255))\n"
                    "    print('{0!r:>5}{1:+.1f}{x[0]}{y.op}{z[k]:>{w}}'.format('k', 3.0, x=[4], w=3, z={'k': 'v'},\n"
                    "          y=gm.graph.output_node()))\n"
                    "    print(f'{255:#x} {-5:b}', 'ab'.center(5, '*'), 'aB1'.swapcase(), 'x9'.isalnum())\n"),
            (QStringList{"a   | 1.50|007| 'q'|ff", "  'k'+3.04output  v", "0xff -101 **ab* Ab1 True"}));
    }

    void className_isTheNameOfTheClass() {
        QCOMPARE(
            printed("import copy\n"
                    "def f(gm):\n"
                    "    named = fx.GraphModule(gm, gm.graph, 'Named')\n"
                    "    for each in (named, copy.copy(named), copy.deepcopy(named)):\n"
                    "        print(type(each).__name__, each._get_name(), isinstance(each, fx.GraphModule))\n"
                    "    print(type(fx.symbolic_trace(named)).__name__, [c.__name__ for c in type(named).__mro__])\n"),
            (QStringList{"Named Named True", "GraphModule GraphModule True", "GraphModule GraphModule True",
                         "Named ['Named', 'GraphModule', 'Module', 'object']"}));
    }
};

QTEST_APPLESS_MAIN(TestTextPassPython)
#include "tst_text_pass_python.moc"
