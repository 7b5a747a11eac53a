// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/diag/error.h"

#include <QTest>

using fx::Argument;
using fx::Graph;
using fx::NodeId;
using fx::Op;

namespace {
fx::CallablePtr function(std::string module, std::string name, bool fromTorch) {
    fx::Callable callable;
    callable.qualifiedName = module == "builtins" ? name : module + "." + name;
    callable.module = std::move(module);
    callable.name = std::move(name);
    callable.fromTorch = fromTorch;
    return std::make_shared<fx::Callable>(callable);
}
fx::TypePtr type(fx::TypeExpr::Kind kind, std::string module, std::string name, std::vector<fx::TypePtr> args = {}) {
    auto out = std::make_shared<fx::TypeExpr>();
    out->kind = kind;
    out->fromTorch = module == "torch";
    out->module = std::move(module);
    out->name = std::move(name);
    out->args = std::move(args);
    return out;
}
/// Names the node of the refusal; empty if the code is generated.
QString refusedNode(const Graph& graph) {
    try {
        fx::generatePython(graph);
        return {};
    } catch (const fx::Error& error) {
        return error.kind() == fx::ErrorKind::Refused ? QString::fromStdString(error.node) : "another error";
    }
}
fx::CallablePtr shownAs(std::string shown, std::string module, std::string name) {
    fx::Callable out = *function(std::move(module), std::move(name), false);
    out.qualifiedName = std::move(shown);
    return std::make_shared<const fx::Callable>(std::move(out));
}
/// A named tuple of the class.
fx::Argument tupleOf(const std::string& path) {
    const std::size_t dot = std::min(path.rfind('.'), path.size());
    const bool isTorch = path.starts_with("torch.");
    const std::string name = path.substr(dot == path.size() ? 0 : dot + 1);
    return fx::Sequence{fx::Sequence::Kind::NamedTuple, {Argument(1)}, function(path.substr(0, dot), name, isTorch)};
}
fx::Argument opaque(std::string repr) { return fx::OpaqueObject{"mine.Object", std::move(repr), {}}; }
QString codeOf(const Graph& graph) { return QString::fromStdString(fx::generatePython(graph).text); }
} // namespace

class TestPythonCode : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void emptyGraph_printsPass() { QCOMPARE(codeOf(Graph()), QString("\n\n\ndef forward(self):\n    pass\n    ")); }
    void nodeNames_thatAreNoIdentifiers_areThoseOfTorchFx() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        graph.setNameUnchecked(graph.callFunction(function("torch", "relu", true), {x}), "y = 0\nimport os\ny");
        graph.setNameUnchecked(graph.callFunction(function("torch", "tanh", true), {x}), "h\u00f6he");
        QCOMPARE(codeOf(graph), QString("\n\n\ndef forward(self, x):\n"
                                        "    y_0_import_os_y = torch.relu(x);  y_0_import_os_y = None\n"
                                        "    h_he = torch.tanh(x);  x = h_he = None\n    "));
    }
    void textOfTheFile_thatIsMoreThanItsPlaceHolds_isRefused_data() {
        QTest::addColumn<int>("place");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isRefused");
        const auto rows = [](int place, std::initializer_list<const char*> refused,
                             std::initializer_list<const char*> taken) {
            for (const char* text : refused) QTest::addRow("%d %s", place, text) << place << text << true;
            for (const char* text : taken) QTest::addRow("%d %s", place, text) << place << text << false;
        };
        constexpr const char *kCall = "__import__('os').system('id')", *kLine = "x\nimport os";
        rows(0, {"x=exec('1')", "x, y", kLine, "", "*"}, {"x", "*args", "**kwargs"});
        rows(1, {"a=exec('1'), b", kLine, "a b"}, {"inplace"});
        rows(2, {"a\"), exec('1'), (\"", "a\nb", "a.b\\"}, {"0.conv", "a b"});
        rows(3, {"relu(x) or exec", kLine, ""}, {"relu", "relu.default"});
        rows(4, {"os; exec('1') #", "os\nimport a"}, {"mine.inner"});
        rows(5, {kCall, "int = exec('1')", "int\nimport os", "f'{exec(1)}'", "int, exec", "lambda: 1", "int]"},
             {"~T", "typing.Literal['a;', 1]", "...", "'Later'"});
        rows(6,
             {kCall, "1); exec('1'", "1 # x", "[exec('1')]", "torch.load('a')", "a.b()", "(exec)(1)", "f(1)(2)",
              "f'{exec(1)}'", "'a", "x := 1", "exec ('1')", "1, 2", "[p := eval]", "[P('1') for P in [eval]]"},
             {"Point(x=1, y='a)')", "<object at 0x0>", "s0 + Max(1, s1)", "tensor([1,\n 2])", "{'a': [1]}", "-1"});
        // What code defines cannot be called by a printed value: an import, an input, a node.
        rows(6, {"mine_Point(1)", "[x(1)]", "Outer(y('a'))", "self('a')"}, {"Point(1)", "x", "mine_Point"});
        rows(7,
             {"os.system", "posix.system", "builtins.eval", "subprocess.Popen", "torch.load", "torch.package.Importer",
              "numpy.save", "pathlib.Path", "torch.return_types.torch.os.system"},
             {"mine.Point", "mine.inner._Point", "torch.return_types.sort", "torch.nn.utils.rnn.PackedSequence"});
        rows(8, {"torch.relu", "mine.call", "system"}, {"os.system"}); // of what os.system is imported as
    }
    void textOfTheFile_thatIsMoreThanItsPlaceHolds_isRefused() {
        QFETCH(int, place);
        QFETCH(QString, text);
        QFETCH(bool, isRefused);
        const std::string word = text.toStdString();
        Graph graph;
        const fx::TypePtr point = place == 6 ? type(fx::TypeExpr::Kind::Class, "mine", "Point") : nullptr;
        const NodeId x = graph.placeholder(place == 0 ? word : "x", {}, point, "x");
        const auto relu = function("torch", "relu", true);
        switch (place) {
        case 1: graph.callFunction(relu, {x}, {{word, Argument(1)}}, "y"); break;
        case 2: graph.createNode(Op::CallMethod, word, {x}, {}, "y"); break;
        case 3: graph.callFunction(function("torch", word, true), {x}, {}, "y"); break;
        case 4: graph.callFunction(function(word, "call", false), {x}, {}, "y"); break;
        case 5: graph.callFunction(relu, {x}, {}, "y", type(fx::TypeExpr::Kind::Text, "", word)); break;
        case 6: graph.callFunction(relu, {x, opaque(word)}, {}, "y"); break;
        case 7: graph.callFunction(relu, {x, tupleOf(word)}, {}, "y"); break;
        case 8: graph.callFunction(shownAs(word, "os", "system"), {x}, {}, "y"); break;
        default: break;
        }
        QCOMPARE(refusedNode(graph), QString(!isRefused ? "" : place == 0 ? "x" : "y"));
    }
    void onlyPlaceholders_printNothing() {
        Graph graph;
        graph.placeholder("x");
        QCOMPARE(codeOf(graph), QString("\n\n\ndef forward(self, x):\n    "));
    }
    void statements_everyKind_printAsTorchFx() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId rest = graph.placeholder("*args");
        const NodeId relu = graph.callFunction(function("torch", "relu", true), {x});
        const NodeId module = graph.createNode(Op::CallModule, "layer1.0.conv", {relu});
        const NodeId sum = graph.callFunction(function("_operator", "add", false), {module, 2});
        const NodeId shape = graph.callFunction(function("builtins", "getattr", false), {sum, "shape"});
        graph.callFunction(function("_operator", "iadd", false), {sum, shape});
        const NodeId item =
            graph.callFunction(function("_operator", "getitem", false),
                               {sum, Argument::tuple({Argument::slice({}, 1, {}), fx::EllipsisValue{}})});
        const NodeId view = graph.createNode(Op::CallMethod, "a b", {item}, {{"k", Argument(1e-5)}});
        graph.output(Argument::tuple({view, rest, Argument::dict({{"k", view}})}));
        QCOMPARE(codeOf(graph), QString("\n\n\ndef forward(self, x, *args):\n"
                                        "    _args = args\n"
                                        "    relu = torch.relu(x);  x = None\n"
                                        "    layer1_0_conv = getattr(self.layer1, \"0\").conv(relu);  relu = None\n"
                                        "    add = layer1_0_conv + 2;  layer1_0_conv = None\n"
                                        "    getattr_1 = add.shape\n"
                                        "    add += getattr_1;  iadd = add;  getattr_1 = iadd = None\n"
                                        "    getitem = add[(slice(None, 1, None), Ellipsis)];  add = None\n"
                                        "    a_b = getattr(getitem, \"a b\")(k = 1e-05);  getitem = None\n"
                                        "    return (a_b, _args, {'k': a_b})\n"
                                        "    "));
    }
    void classesOfOneName_areSeveralGlobals() {
        const auto classOf = [](const std::string& path) {
            fx::Callable out = *function("a", "Out", false);
            out.kind = fx::Callable::Kind::Class;
            out.repr = "<class 'a." + path + "'>";
            return std::make_shared<const fx::Callable>(std::move(out));
        };
        Graph graph;
        const NodeId x = graph.placeholder("x", {}, type(fx::TypeExpr::Kind::Class, "a", "A.Out"));
        const NodeId first = graph.callFunction(classOf("A.Out"), {x}, {}, "out");
        const NodeId second = graph.callFunction(classOf("B.Out"), {x}, {}, "out_1");
        const NodeId third = graph.callFunction(classOf("C.Out"), {x}, {}, "out_2");
        graph.output(Argument::tuple({first, second, third}));
        QCOMPARE(codeOf(graph), QString("\n\n\ndef forward(self, x : a_A_Out):\n"
                                        "    out = a_A_Out(x)\n"
                                        "    out_1 = a_Out(x)\n"
                                        "    out_2 = a_Out_1(x);  x = None\n"
                                        "    return (out, out_1, out_2)\n"
                                        "    "));
    }
    void lines_mapToNodesAndBack() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId relu = graph.callFunction(function("torch", "relu", true), {x});
        const NodeId out = graph.output(relu);
        const auto code = fx::generatePython(graph);
        QCOMPARE(code.nodeLines, (std::vector<std::int32_t>{3, 4, 5}));
        QCOMPARE(code.lineNodes.size(), std::size_t{7});
        QCOMPARE(code.lineNodes[4], relu);
        QCOMPARE(code.lineNodes[5], out);
        QCOMPARE(code.lineNodes[6], fx::kNoNode);
    }
    void globals_whoPrintsFirst_keepsTheName() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId first = graph.createNode(Op::CallMethod, "neg", {x}, {}, "math_sqrt");
        const NodeId second = graph.callFunction(function("math", "sqrt", false), {first});
        graph.output(second);
        QCOMPARE(codeOf(graph), QString("\n\n\ndef forward(self, x):\n"
                                        "    math_sqrt = x.neg();  x = None\n"
                                        "    sqrt = math_sqrt_1(math_sqrt);  math_sqrt = None\n"
                                        "    return sqrt\n    "));
        QVERIFY(fx::generatePython(graph).imports.find("from math import sqrt as math_sqrt_1") != std::string::npos);
    }
    void wrapped_aliases_areDeclaredOnce() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        fx::NodeMeta meta;
        meta.wrapped = true;
        for (int i = 0; i < 2; ++i) {
            const NodeId sqrt = graph.callFunction(function("math", "sqrt", false), {x});
            graph.setMeta(sqrt, std::make_shared<fx::NodeMeta>(meta));
        }
        QVERIFY(codeOf(graph).startsWith("\ntorch.fx._symbolic_trace.wrap(\"math_sqrt\")\n\ndef forward(self, x):\n"));
    }
    void annotations_everyForm_importWhatTheyNeed() {
        using Kind = fx::TypeExpr::Kind;
        const auto tensor = type(Kind::Class, "torch", "Tensor");
        const auto integer = type(Kind::Class, "builtins", "int");
        const auto none = type(Kind::Class, "builtins", "NoneType");
        Graph graph;
        graph.placeholder("a", {}, type(Kind::Generic, "typing", "List", {tensor}));
        graph.placeholder("b", {}, type(Kind::Generic, "typing", "Union", {integer, none}));
        graph.placeholder("c", {Argument()}, type(Kind::Union, "", "", {integer, none}));
        graph.placeholder("d", {}, type(Kind::Generic, "typing", "Tuple", {integer, type(Kind::Text, "", "...")}));
        graph.placeholder("e", {}, type(Kind::Class, "__main__", "Cls"));
        graph.placeholder("f", {}, type(Kind::Class, "torch", "device"));
        const auto code = fx::generatePython(graph);
        QCOMPARE(QString::fromStdString(code.text),
                 QString("\n\n\ndef forward(self, a : typing_List[torch.Tensor], b : typing_Union[int,NoneType], "
                         "c : int|NoneType = None, d : typing_Tuple[int,_], e : __main___Cls, f : device):\n    "));
        QCOMPARE(
            QString::fromStdString(code.imports),
            QString(
                "NoneType = type(None)\nfrom __main__ import Cls as __main___Cls\nfrom builtins import Ellipsis as _\n"
                "from builtins import int as int\nfrom math import inf\nfrom math import nan\n"
                "from torch import device\nfrom typing import List as typing_List\n"
                "from typing import Tuple as typing_Tuple\nfrom typing import Union as typing_Union\n"
                "import torch\nimport torch.fx._pytree as fx_pytree\nimport torch.utils._pytree as pytree"));
    }
    void operator_tooFewArguments_isRefusedByName() {
        Graph graph;
        graph.callFunction(function("_operator", "add", false), {1});
        QVERIFY_THROWS_EXCEPTION(fx::Error, fx::generatePython(graph));
    }
};

QTEST_APPLESS_MAIN(TestPythonCode)
#include "tst_python_code.moc"
