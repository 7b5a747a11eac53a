// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/graph_json.h"
#include "core/codegen/pytree_code.h"
#include "core/io/compile_text/compile_text.h"
#include "core/io/compile_text/missing_values.h"
#include "core/io/compile_text/value_annotation.h"
#include "core/ir/print.h"
#include "tests/failure.h"

#include <QtTest>

using namespace fx;

namespace {
/// A printed class around parameters and a body.
std::string printed(const std::string& parameters, const std::string& body) {
    std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    for (const QString& line : QString::fromStdString(body).split('\n')) text += "        " + line.toStdString() + "\n";
    return text;
}

QString graphOf(const std::string& text) {
    return QString::fromStdString(graphText(readCompileText(text, "x.py")->graph));
}

const Node& nodeNamed(const GraphModule& module, const char* name) {
    const NodeId id = module.graph.find(name);
    if (id == kNoNode) throw std::runtime_error(std::string("no node ") + name);
    return module.graph.node(id);
}

QString joined(const std::vector<std::string>& texts) {
    QStringList out;
    for (const std::string& text : texts) out << QString::fromStdString(text);
    return out.join(',');
}

const std::string kNested = "class GraphModule(torch.nn.Module):\n"
                            "    def forward(self, L_x_: \"f32[3][1]cpu\"):\n"
                            "        l_x_ = L_x_\n"
                            "        \n"
                            "         # File: net.py:6 in forward, code: return torch.cond(p, f, g, (x,))\n"
                            "        gt: \"b8[][]cpu\" = l_x_ > 0\n"
                            "        cond_true_0 = self.cond_true_0\n"
                            "        cond_false_0 = self.cond_false_0\n"
                            "        cond = torch.ops.higher_order.cond(gt, cond_true_0, cond_false_0, (l_x_,));  gt = "
                            "cond_true_0 = cond_false_0 = l_x_ = None\n"
                            "        getitem: \"f32[3][1]cpu\" = cond[0];  cond = None\n"
                            "        return (getitem,)\n"
                            "        \n"
                            "    class cond_true_0(torch.nn.Module):\n"
                            "        def forward(self, l_x_: \"f32[3][1]cpu\"):\n"
                            "            sin: \"f32[3][1]cpu\" = l_x_.sin();  l_x_ = None\n"
                            "            return (sin,)\n"
                            "            \n"
                            "    class cond_false_0(torch.nn.Module):\n"
                            "        def forward(self, l_x_: \"f32[3][1]cpu\"):\n"
                            "            return (l_x_,)\n";

const std::string kRunnable =
    "import torch\n# torch version: 2.13.0+cpu\nfrom torch.nn import *\n"
    "class Repro(torch.nn.Module):\n    def __init__(self) -> None:\n        super().__init__()\n"
    "        self.body_0 = <lambda>()\n"
    "        self.register_buffer('_tensor_constant0', tensor([1., 2.,\n                3.]))\n"
    "        self.register_buffer('large', torch.randn([20, 30], dtype=torch.float64))\n\n\n\n"
    "    def forward(self, arg0_1, arg1_1):\n"
    "        _tensor_constant0 = self._tensor_constant0\n"
    "        large = self.large\n"
    "        add = torch.ops.aten.add.Tensor(arg1_1, _tensor_constant0);  arg1_1 = _tensor_constant0 = None\n"
    "        return (add, large)\n\n"
    "def load_args(reader):\n    reader.symint(5, expr='s77')  # arg0_1\n"
    "    buf0 = reader.storage(None, 16*s77, device=device(type='cuda', index=0), dtype_hint=torch.int64)\n"
    "    reader.tensor(buf0, (s77, 3), (3, 1), dtype=torch.int64, is_leaf=True)  # arg1_1\n"
    "load_args._version = 0\nmod = Repro()\nif __name__ == '__main__':\n    pass\n";
} // namespace

class TestCompileText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void statements_nodes_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("node");
        const auto row = [](const char* name, const char* body, const char* node) {
            QTest::newRow(name) << body << node;
        };
        row("function", "a = torch.relu(x);  x = None",
            "%a : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})");
        row("nothing is computed", "a = torch.zeros(2)",
            "%a : [num_users=1] = call_function[target=torch.zeros](args = (2,), kwargs = {})");
        row("effects", "a = torch._C._set_grad_enabled(False);  a = None",
            "%a : [num_users=1] = call_function[target=torch._C._set_grad_enabled](args = (False,), kwargs = {})");
        row("method", "a = x.view(-1, 2, dtype = torch.int32)",
            "%a : [num_users=1] = call_method[target=view](args = (%x, -1, 2), kwargs = {dtype: torch.int32})");
        row("attribute", "a = x.shape",
            "%a : [num_users=1] = call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})");
        row("operator", "a = 2 ** x",
            "%a : [num_users=1] = call_function[target=operator.pow](args = (2, %x), kwargs = {})");
        row("unary", "a = ~x", "%a : [num_users=1] = call_function[target=operator.invert](args = (%x,), kwargs = {})");
        row("item", "a = x[(slice(None, None, 2), None, Ellipsis)]",
            "%a : [num_users=1] = call_function[target=operator.getitem](args = (%x, (slice(None, None, 2), None, "
            "Ellipsis)), kwargs = {})");
        row("in place", "x += 2;  a: \"f32[2]\" = x;  x = None",
            "%a : [num_users=1] = call_function[target=operator.iadd](args = (%x, 2), kwargs = {})");
        row("item assignment", "x[0] = 3;  a = x;  x = None",
            "%a : [num_users=1] = call_function[target=operator.setitem](args = (%x, 0, 3), kwargs = {})");
        row("module", "a = getattr(self.layers, \"0\").linear(x)",
            "%a : [num_users=1] = call_module[target=layers.0.linear](args = (%x,), kwargs = {})");
        row("parameter", "a: \"f32[2]\" = self.layers.weight", "%a : [num_users=1] = get_attr[target=layers.weight]");
        row("alias", "a = math_sqrt(x)",
            "%a : [num_users=1] = call_function[target=math.sqrt](args = (%x,), kwargs = {})");
        row("symbol", "a = torch.ops.aten.view.default(x, [2*s77, s0])",
            "%a : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%x, [2*s77, s0]), kwargs = "
            "{})");
        row("complex", "a = x * (1+2j)",
            "%a : [num_users=1] = call_function[target=operator.mul](args = (%x, (1+2j)), kwargs = {})");
        row("device", "a = f.g(x, device = device(type='cuda', index=0), d = -inf)",
            "%a : [num_users=1] = call_function[target=f.g](args = (%x,), kwargs = {device: cuda:0, d: -inf})");
        row("not Python", "a = torch.ops.my.op.default(x, <Object at 0x7f>, k = {'b': <enum 'X': 1>});  x = None",
            "%a : [num_users=1] = call_function[target=torch.ops.my.op.default](args = (%x, <Object at 0x7f>), "
            "kwargs = {k: {'b': <enum 'X': 1>}})");
    }
    void statements_nodes() {
        QFETCH(QString, body);
        QFETCH(QString, node);
        const QString graph = graphOf(printed("x: \"f32[2]\"", body.toStdString() + "\nreturn (a,)"));
        QVERIFY2(graph.contains("    " + node + "\n"), qPrintable(graph));
    }

    void annotations_values_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("value");
        QTest::newRow("sizes") << "f32[2, 8]"
                               << "torch.float32 [2,8] [] ";
        QTest::newRow("wide") << "b8[2, 8][8, 1]cuda:0"
                              << "torch.bool [2,8] [8,1] cuda:0";
        QTest::newRow("scalar") << "bf16[][]cpu"
                                << "torch.bfloat16 [] [] cpu";
        QTest::newRow("symbols") << "i64[s77, 2*s0 + 1, ((s1 - 1)//2)][2*s0 + 1, 1, Max(1, s0)]cpu"
                                 << "torch.int64 [s77,2*s0 + 1,((s1 - 1)//2)] [2*s0 + 1,1,Max(1, s0)] cpu";
        QTest::newRow("number") << "Sym(s77 + 1)"
                                << "int [s77 + 1] [] ";
        QTest::newRow("subclass") << "DTensor(f32[4, 4][4, 1]cpu, S(0))"
                                  << "torch.float32 [4,4] [4,1] cpu";
        QTest::newRow("float8") << "f8e4m3fn[2]"
                                << "torch.float8_e4m3fn [2] [] ";
        for (const char* other : {"Tensor", "f32", "f99[2]", "f32[2", "", "(", "x[", "Sym("})
            QTest::newRow(other) << other << "none";
    }
    void annotations_values() {
        QFETCH(QString, text);
        const auto info = readAnnotation(text.toStdString());
        QTEST(info ? QString("%1 [%2] [%3] %4")
                         .arg(QString::fromStdString(info->dtype), joined(info->sizes), joined(info->strides),
                              QString::fromStdString(info->device))
                   : QString("none"),
              "value");
    }

    void bodiesWithoutNames_areThoseThatCondTakes() { // as PyTorch 2.4 prints them
        const QString text = QString::fromStdString(kNested)
                                 .replace("class cond_true_0(", "class <lambda>(")
                                 .replace("class cond_false_0(", "class <lambda>(");
        const auto module = readCompileText(text.toStdString(), "x.py");
        QCOMPARE(module->subgraphs.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(module->subgraphs[0].first), QString("cond_true_0"));
        QCOMPARE(QString::fromStdString(module->subgraphs[1].first), QString("cond_false_0"));
        QVERIFY(module->subgraphs[0].second->graph.find("sin") != kNoNode);
    }

    void nested_graphs_bodiesAndSources() {
        QVERIFY(isCompileText(kNested));
        const auto module = readCompileText(kNested, "x.py");
        QCOMPARE(module->format, Format::CompileGraph);
        QCOMPARE(QString::fromStdString(module->className), QString("GraphModule"));
        QCOMPARE(module->subgraphs.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(module->subgraphs[0].first), QString("cond_true_0"));
        QVERIFY(module->subgraphs[1].second->graph.find("l_x_") != kNoNode);
        QCOMPARE(nodeNamed(*module, "l_x_").target(), std::string("L_x_"));
        QCOMPARE(sourceLineOf(nodeNamed(*module, "gt")),
                 std::string("net.py:6 in forward, code: return torch.cond(p, f, g, (x,))"));
        QCOMPARE(QString::fromStdString(nodeNamed(*module, "getitem").meta().values.at(0).shapeText()), QString("3"));
        QVERIFY(module->warnings.empty());
        requireValues(*module); // nothing is missing
    }

    void comments_sources_ofAllVersions_data() {
        QTest::addColumn<QString>("comment");
        QTest::addColumn<QString>("source");
        QTest::newRow("2.13") << "# File: a b.py:6 in f, code: x = y"
                              << "a b.py:6 in f, code: x = y";
        QTest::newRow("2.1") << "# File: net.py:6, code: x = y"
                             << "net.py:6, code: x = y";
        QTest::newRow("note") << "# recompute: MUST_SAVE File: net.py:6 in f, code: #x"
                              << "net.py:6 in f, code: #x";
        QTest::newRow("none") << "# No stacktrace found for following nodes"
                              << "";
        QTest::newRow("other") << "# something else"
                               << "";
    }
    void comments_sources_ofAllVersions() {
        QFETCH(QString, comment);
        const auto module =
            readCompileText(printed("x: \"f32[2]\"", comment.toStdString() + "\na = torch.relu(x)\nreturn a"), "x.py");
        QTEST(QString::fromStdString(sourceLineOf(nodeNamed(*module, "a"))), "source");
    }

    void pytree_code_inputsAreThePlaceholders() {
        const std::string text =
            "class inner_f(torch.nn.Module):\n    def forward(\n        self,\n        primals,\n        tangents,\n   "
            " ):\n"
            "        primals_1: \"f32[2][1]cpu\"  # PlainAOTInput(idx=0)\n"
            "        tangents_1: \"f32[2][1]cpu\"  # TangentAOTInput(output=PlainAOTOutput(idx=0))\n"
            "        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n"
            "        mul: \"f32[2][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, tangents_1)\n"
            "        return pytree.tree_unflatten([\n            mul,  # PlainAOTOutput(idx=0)\n            None,  # "
            "None\n"
            "        ], self._out_spec)\n";
        QCOMPARE(graphOf(text),
                 QString("graph():\n    %primals_1 : [num_users=1] = placeholder[target=primals_1]\n"
                         "    %tangents_1 : [num_users=1] = placeholder[target=tangents_1]\n"
                         "    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = "
                         "(%primals_1, %tangents_1), kwargs = {})\n    return [mul, None]"));
        QCOMPARE(
            QString::fromStdString(generatePython(*readCompileText(text, "x.py")).text),
            QString("\n\n\ndef forward(self, primals, tangents):\n"
                    "    primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n"
                    "    mul = torch.ops.aten.mul.Tensor(primals_1, tangents_1);  primals_1 = tangents_1 = None\n"
                    "    return pytree.tree_unflatten([mul, None], self._out_spec)\n    "));
        QCOMPARE(nodeNamed(*readCompileText(text, "x.py"), "tangents_1").meta().values.size(), std::size_t{1});
    }

    void modules_called_areChildren() {
        const std::string text =
            "class M(torch.nn.Module):\n    def forward(self, x: \"f32[2]\"):\n"
            "        sub: \"f32[2]\" = self.sub(x);  x = None\n        return sub\n"
            "    class sub(torch.nn.Module):\n        def forward(self, x: \"f32[2]\"):\n            return x\n";
        const auto module = readCompileText(text, "x.py");
        QVERIFY(module->subgraphs.empty());
        const Module* child = module->root->child("sub");
        QVERIFY(child);
        QVERIFY(child->graphModule);
    }

    void constants_absent_shapedAndRefused() {
        const auto module = readCompileText(
            printed("x: \"f32[2]\"", "a: \"f32[2, 3]\" = self.a\nb = self.layers.b\nc = self.net(x)\nreturn (a, b, c)"),
            "x.py");
        const Module::Slot* slot = module->root->buffer("a");
        QVERIFY(slot);
        QVERIFY(slot->tensor);
        QVERIFY(!slot->tensor->storage);
        QCOMPARE(slot->tensor->strides, (std::vector<std::int64_t>{3, 1}));
        QVERIFY(module->root->child("layers")->attribute("b"));
        QCOMPARE(module->warnings.size(), std::size_t{2});
        const Error error = failure([&] { requireValues(*module); });
        QCOMPARE(QString::fromStdString(error.message().code()), QString("compile.values_not_in_dump"));
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QCOMPARE(error.node, std::string("a"));
    }

    void runnable_buffersAndInputs_read() {
        QVERIFY(isCompileText(kRunnable));
        const auto module = readCompileText(kRunnable, "x.py");
        QCOMPARE(module->producer, std::string("2.13.0+cpu"));
        const Module::Slot* slot = module->root->buffer("_tensor_constant0");
        QVERIFY(slot);
        QVERIFY(slot->tensor->storage);
        QVERIFY(slot->tensor->storage->isExpression());
        QCOMPARE(slot->tensor->sizes, std::vector<std::int64_t>{3});
        const Module::Slot* large = module->root->buffer("large");
        QVERIFY(large);
        QVERIFY(!large->tensor->storage);
        QCOMPARE(large->tensor->dtype, DType::Float64);
        QCOMPARE(module->warnings.size(), std::size_t{1}); // its values
        const ValueInfo& input = nodeNamed(*module, "arg1_1").meta().values.at(0);
        QCOMPARE(joined(input.sizes), QString("s77,3"));
        QCOMPARE(QString::fromStdString(input.dtype + " " + input.device), QString("torch.int64 cuda:0"));
        QCOMPARE(nodeNamed(*module, "arg0_1").meta().other.at(0).second, std::string("5"));
    }

    void bodies_ofARunnable_areThoseOfTheSameGraph() {
        const std::string calls =
            "        gt = torch.ops.aten.gt.Scalar(arg0_1, 0)\n"
            "        true_graph_0 = self.true_graph_0\n"
            "        cond = torch.ops.higher_order.cond(gt, true_graph_0, true_graph_0, (arg0_1,))\n"
            "        getitem = cond[0]\n        return (getitem,)\n";
        const std::string runnable = "class Repro(torch.nn.Module):\n    def __init__(self) -> None:\n"
                                     "        self.true_graph_0 = <lambda>()\n\n    def forward(self, arg0_1):\n" +
                                     calls;
        const auto readable = [](const std::string& body) {
            return "class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: \"f32[]\"):\n" + body +
                   "\n    class true_graph_0(torch.nn.Module):\n        def forward(self, arg0_1: \"f32[]\"):\n"
                   "            return (torch.ops.aten.sin.default(arg0_1),)\n";
        };
        std::vector<std::string> others = {readable(calls), "class Broken", readable("        return (arg0_1,)\n")};
        const auto next = [&]() -> std::optional<std::string> {
            if (others.empty()) return std::nullopt;
            const std::string text = others.back();
            others.pop_back();
            return text;
        };
        const auto module = readCompileText(runnable, "x.py", next);
        QCOMPARE(module->subgraphs.size(), std::size_t{1});
        QVERIFY(module->warnings.empty()); // nothing is missing
        requireValues(*module);
        QVERIFY(readCompileText(runnable, "x.py")->subgraphs.empty());
    }

    void colours_terminal_ignored() {
        const std::string text = printed("x: \"\x1b[31mf32\x1b[0m\x1b[34m[2]\x1b[0m\"",
                                         "a = torch.relu(x);  \x1b[2mx = None\x1b[0m\nreturn a");
        QVERIFY(isCompileText(text));
        QCOMPARE(graphOf(text).count("relu"), 1);
    }

    void graph_empty_hasNoNodes() {
        const std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self):\n        pass\n";
        QVERIFY(isCompileText(text));
        QVERIFY(readCompileText(text, "x.py")->graph.first() == kNoNode);
        QVERIFY(!isCompileText("import torch\n" + text)); // a source
    }

    void names_reserved_kept() {
        QVERIFY(
            graphOf(
                printed(
                    "x: \"f32[2]\"",
                    "print_1 = torch.relu(x)\nlambda_ = torch.relu(print_1)\nlist = torch.relu(lambda_)\nreturn list"))
                .contains("%list : "));
    }
};

QTEST_GUILESS_MAIN(TestCompileText)
#include "tst_compile_text.moc"
