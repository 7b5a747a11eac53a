// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/module/module.h"
#include "core/pysrc/expression_names.h"
#include "core/trace/allowance.h"
#include "core/trace/retrace.h"

#include <QTest>

namespace {
constexpr const char* kImports =
    "NoneType = type(None)\nfrom math import inf\nfrom math import nan\nfrom math import sqrt as math_sqrt\n"
    "from torch import device\nimport torch\nimport torch.fx._pytree as fx_pytree\n"
    "import torch.utils._pytree as pytree\nfrom _operator import not_ as _operator_not_\n"
    "from mine import helper as mine_helper\nfrom mine import Pair as mine_Pair\nfrom mine import Color as Color\n"
    "from typing import List as typing_List\n";

fx::TensorPtr tensor(std::vector<std::int64_t> sizes, bool parameter) {
    auto out = std::make_shared<fx::TensorRef>();
    out->sizes = std::move(sizes);
    out->isParameter = parameter;
    return out;
}

/// A root with parameter p, buffer b, plain tensor t, number eps, a submodule path layer1.0.conv and a tied parameter.
fx::GraphModule sampleModule() {
    fx::GraphModule module;
    auto conv = std::make_shared<fx::Module>();
    conv->className = "Conv2d";
    conv->parameters.push_back({"weight", tensor({4, 3, 3, 3}, true)});
    auto inner = std::make_shared<fx::Module>();
    inner->children.push_back({"conv", conv});
    auto outer = std::make_shared<fx::Module>();
    outer->children.push_back({"0", inner});
    module.root->children.push_back({"layer1", outer});
    module.root->parameters.push_back({"p", tensor({3}, true)});
    module.root->parameters.push_back({"tied", module.root->parameters[0].tensor});
    module.root->buffers.push_back({"b", tensor({3, 4}, false)});
    module.root->attributes.emplace_back("t", tensor({2}, false));
    module.root->attributes.emplace_back("eps", fx::Argument(1e-5));
    return module;
}

/// The buffer b lies in rows.
fx::GraphModule withStrides() {
    fx::GraphModule module = sampleModule();
    auto rows = std::make_shared<fx::TensorRef>(*module.root->buffers[0].tensor);
    rows->strides = {4, 1};
    module.root->buffers[0].tensor = rows;
    return module;
}

QString retraced(const QString& body, fx::GraphModule* keep = nullptr, const QString& parameters = "x") {
    fx::GraphModule module = sampleModule();
    const std::string code = ("\n\n\ndef forward(self, " + parameters + "):\n    " + body + "\n    ").toStdString();
    fx::retraceSavedCode(module, kImports, code);
    QString text = QString::fromStdString(fx::graphText(module.graph));
    if (keep) *keep = std::move(module);
    return text.section('\n', 1).replace("\n    ", "\n").trimmed();
}
QString lines(std::initializer_list<const char*> list) {
    QStringList out;
    for (const char* line : list) out << line;
    return out.join('\n');
}
} // namespace

class TestRetrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void code_anyStatement_recordsWhatTorchFxRecords_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("graph");
        const auto row = [](const char* name, const char* body, std::initializer_list<const char*> list) {
            QTest::newRow(name) << QString(body) << lines(list);
        };
        row("names come from targets", "zz = torch.relu(x);  x = None\n    return zz",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})", "return relu"});
        row("functional gets its defaults", "a = torch.nn.functional.max_pool2d(x, 2)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%max_pool2d : [num_users=1] = call_function[target=torch.nn.functional.max_pool2d](args = (%x, 2), "
             "kwargs = {stride: None, padding: 0, dilation: 1, ceil_mode: False, return_indices: False})",
             "return max_pool2d"});
        row("functional that becomes a method", "a = torch.nn.functional.sigmoid(x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%sigmoid : [num_users=1] = call_method[target=sigmoid](args = (%x,), kwargs = {})", "return sigmoid"});
        row("submodule by getattr", "a = getattr(self.layer1, \"0\").conv(x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%layer1_0_conv : [num_users=1] = call_module[target=layer1.0.conv](args = (%x,), kwargs = {})",
             "return layer1_0_conv"});
        row("a parameter is read once, under its first name",
            "p = self.tied\n    q = self.p\n    a = p + q\n    return a",
            {"%x : [num_users=0] = placeholder[target=x]", "%p : [num_users=1] = get_attr[target=p]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%p, %p), kwargs = {})", "return add"});
        row("a buffer is read at each use", "b = self.b\n    a = x + b\n    c = b - a\n    return c",
            {"%x : [num_users=1] = placeholder[target=x]", "%b : [num_users=1] = get_attr[target=b]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%x, %b), kwargs = {})",
             "%b_1 : [num_users=1] = get_attr[target=b]",
             "%sub : [num_users=1] = call_method[target=sub](args = (%b_1, %add), kwargs = {})", "return sub"});
        row("a number attribute becomes a literal", "e = self.eps\n    a = x + e\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%x, 1e-05), kwargs = {})",
             "return add"});
        row("attributes are lazy", "s = x.shape\n    t = x.dtype\n    a = x.view(s)\n    return a",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})",
             "%view : [num_users=1] = call_method[target=view](args = (%x, %getattr_1), kwargs = {})", "return view"});
        row("unpacking and augmented assignment", "a, b = x.chunk(2)\n    a += b\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%chunk : [num_users=2] = call_method[target=chunk](args = (%x, 2), kwargs = {})",
             "%getitem : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = {})",
             "%getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = {})",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%getitem, %getitem_1), kwargs = {})",
             "return add"});
        row("reflected operators", "a = 1 - x\n    b = 1 < a\n    return b",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%sub : [num_users=1] = call_function[target=operator.sub](args = (1, %x), kwargs = {})",
             "%gt : [num_users=1] = call_function[target=operator.gt](args = (%sub, 1), kwargs = {})", "return gt"});
        row("constant sizes fold", "a = x.view(torch.zeros(3, 4).shape[0], -1)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%view : [num_users=1] = call_method[target=view](args = (%x, 3, -1), kwargs = {})", "return view"});
        row("operators and overloads", "a = torch.ops.aten.add.Tensor(x, 1, alpha = 2)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%add_tensor : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = "
             "{alpha: 2})",
             "return add_tensor"});
        row("literals of every kind",
            "a = x.foo(1e-05, inf, -1, (1+2j), device(type='cuda', index=0), torch.float16, slice(None, 3, None), "
            "range(0, 3), Ellipsis, torch.channels_last)\n    return (a, {'k': [x]})",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%foo : [num_users=1] = call_method[target=foo](args = (%x, 1e-05, inf, -1, (1+2j), cuda:0, "
             "torch.float16, slice(None, 3, None), range(0, 3), Ellipsis, torch.channels_last), kwargs = {})",
             "return (foo, {'k': [x]})"});
        row("enum and named tuple", "a = x.foo(Color.RED, mine_Pair(1, x))\n    return a",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%pair : [num_users=1] = call_function[target=mine.Pair](args = (1, %x), kwargs = {})",
             "%foo : [num_users=1] = call_method[target=foo](args = (%x, Color.RED, %pair), kwargs = {})",
             "return foo"});
        row("one list of tensors",
            "a = torch.functional.meshgrid([x, x], indexing = 'xy')\n    b = torch.functional.atleast_1d()\n    return "
            "(a, b)",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%meshgrid : [num_users=1] = call_function[target=torch.meshgrid](args = ([%x, %x],), kwargs = {indexing: "
             "xy})",
             "return (meshgrid, ())"});
        row("another name of a C function", "a = torch.hsmm(x, x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%hspmm : [num_users=1] = call_function[target=torch.hspmm](args = (%x, %x), kwargs = {})",
             "return hspmm"});
        row("collectives get their defaults", "a = torch.distributed.distributed_c10d.all_gather(x, x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%all_gather : [num_users=1] = call_function[target=torch.distributed.distributed_c10d.all_gather](args = "
             "(%x, %x), kwargs = {group: None, async_op: False})",
             "return all_gather"});
        row("no return", "a = torch.relu(x)",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%relu : [num_users=0] = call_function[target=torch.relu](args = (%x,), kwargs = {})", "return None"});
    }
    void code_anyStatement_recordsWhatTorchFxRecords() {
        QFETCH(QString, body);
        QFETCH(QString, graph);
        fx::GraphModule module;
        QCOMPARE(retraced(body, &module), graph);
        QVERIFY(module.warnings.empty());
        QVERIFY(!module.notLoadable);
    }
    void constant_thatWouldRunAtLoad_isKeptAsExpression() {
        fx::GraphModule module;
        QCOMPARE(retraced("a = torch.zeros(2, 3)\n    b = x + a\n    return b", &module),
                 lines({"%x : [num_users=1] = placeholder[target=x]",
                        "%_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]",
                        "%add : [num_users=1] = call_function[target=operator.add](args = (%x, %_tensor_constant0), "
                        "kwargs = {})",
                        "return add"}));
        const auto& buffer = module.root->buffers.back();
        QCOMPARE(buffer.name, std::string("_tensor_constant0"));
        QCOMPARE(buffer.tensor->sizes, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(buffer.tensor->storage->expressionSource(), std::string("torch.zeros(2, 3)"));
        QCOMPARE(buffer.tensor->storage->byteCount(), std::uint64_t{24});
    }
    void constant_madeOfTensorsOfTheModel_saysWhichTheyAre_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("source");
        QTest::newRow("a plain tensor") << "torch.add(self.t, 1)"
                                        << "torch.add(self.t, 1)";
        QTest::newRow("a method") << "self.b.unsqueeze(0)"
                                  << "self.b.unsqueeze(0)";
        QTest::newRow("an operator") << "torch.ops.aten.add.Tensor(self = self.b, other = self.t)"
                                     << "torch.ops.aten.add.Tensor(self=self.b, other=self.t)";
        QTest::newRow("behind a number") << "getattr(self.layer1, \"0\").mask * 2"
                                         << "operator.mul(getattr(self.layer1, '0').mask, 2)";
        QTest::newRow("a view") << "self.b.T"
                                << "self.b.T";
        QTest::newRow("a chain") << "torch.neg(self.b.mT) + self.t"
                                 << "operator.add(torch.neg(self.b.mT), self.t)";
        QTest::newRow("under its first name") << "torch.neg(self.second)"
                                              << "torch.neg(self.b)";
    }
    void constant_madeOfTensorsOfTheModel_saysWhichTheyAre() {
        QFETCH(QString, code);
        QFETCH(QString, source);
        fx::GraphModule module = sampleModule();
        module.root->buffers.push_back({"second", module.root->buffers[0].tensor});
        module.root->children[0].module->children[0].module->buffers.push_back({"mask", tensor({4}, false)});
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY(module.warnings.empty());
        QCOMPARE(module.root->buffers.back().name, std::string("_tensor_constant0"));
        QCOMPARE(QString::fromStdString(module.root->buffers.back().tensor->storage->expressionSource()), source);
    }
    void constant_thatIsWrittenToAtLoad_hasItsNewValues_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("source");
        const auto row = [](const char* name, const char* code, const char* source) {
            QTest::newRow(name) << code << source;
        };
        row("a method", "a.add_(1)\n    b = a", "torch.zeros(3).add_(1)");
        row("its result is the tensor", "b = a.add_(1)", "torch.zeros(3).add_(1)");
        row("after it was used", "b = a\n    c = x * a\n    a.fill_(2)", "torch.zeros(3).fill_(2)");
        row("a function", "torch.relu_(a)\n    b = a", "torch.relu_(torch.zeros(3))");
        row("an operator", "c = torch.ops.aten.add_.Tensor(a, 1)\n    b = a",
            "torch.ops.aten.add_.Tensor(torch.zeros(3), 1)");
        row("an operator of any overload", "torch.ops.aten.mul_(a, 2)\n    b = a",
            "torch.ops.aten.mul_(torch.zeros(3), 2)");
        row("where asked to", "torch.nn.functional.relu(a, inplace = True)\n    b = a",
            "torch.nn.functional.relu(torch.zeros(3), inplace=True)");
        row("where asked to, by place", "torch.nn.functional.relu(a, True)\n    b = a",
            "torch.nn.functional.relu(torch.zeros(3), True)");
        row("not where not asked to", "torch.nn.functional.relu(a, False)\n    b = a", "torch.zeros(3)");
        row("augmented", "c = a\n    c += 2\n    b = a", "torch.zeros(3).add_(2)");
        row("augmented division", "c = a\n    c /= 2\n    b = a", "torch.zeros(3).div_(2)");
        row("what was computed before keeps its values", "b = a + 5\n    a.fill_(2)",
            "operator.add(torch.zeros(3), 5)");
        row("a copy does not follow", "b = a.clone()\n    a.fill_(2)", "torch.zeros(3).clone()");
        row("a view that is all that is left", "b = a.unsqueeze(0);  a = None\n    b.fill_(2)",
            "torch.zeros(3).unsqueeze(0).fill_(2)");
    }
    void constant_thatIsWrittenToAtLoad_hasItsNewValues() {
        QFETCH(QString, code);
        QFETCH(QString, source);
        fx::GraphModule module;
        retraced("a = torch.zeros(3)\n    " + code + "\n    return x + b", &module);
        QVERIFY(module.warnings.empty());
        const fx::Node* last = nullptr;
        for (const fx::Node& node : module.graph.nodes())
            if (node.op() == fx::Op::GetAttr) last = &node;
        QVERIFY(last);
        QCOMPARE(
            QString::fromStdString(fx::resolvePath(*module.root, last->target()).tensor->storage->expressionSource()),
            source);
    }
    void constant_thatChangesItsSizesAtLoad_hasThem() {
        QCOMPARE(retraced("a = torch.zeros(3)\n    a.unsqueeze_(0)\n    return x.view(a.shape)"),
                 lines({"%x : [num_users=1] = placeholder[target=x]",
                        "%view : [num_users=1] = call_method[target=view](args = (%x, (1, 3)), kwargs = {})",
                        "return view"}));
    }
    void constantAndTracedValue_inAnAugmentedAssignment_areRecordedAsTheMethod() {
        QCOMPARE(
            retraced("a = torch.zeros(3)\n    a -= x\n    return a"),
            lines({"%x : [num_users=1] = placeholder[target=x]",
                   "%_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]",
                   "%sub_ : [num_users=1] = call_method[target=sub_](args = (%_tensor_constant0, %x), kwargs = {})",
                   "return sub_"}));
    }
    void writesAtLoad_thatOthersSee_areShownAsTheyAreWritten_data() {
        QTest::addColumn<QString>("code");
        QTest::newRow("a view of it") << "a = torch.zeros(3)\n    b = a.view(1, 3)\n    a.fill_(2)";
        QTest::newRow("through a view") << "b = torch.zeros(3)\n    a = b.view(1, 3)\n    a.fill_(2)";
        QTest::newRow("through a part") << "b = torch.zeros(3)\n    a = b[0:2]\n    a.fill_(2)";
        QTest::newRow("out") << "b = torch.zeros(3)\n    a = torch.add(b, 1, out = b)";
        QTest::newRow("a buffer that is used") << "b = self.b\n    b.add_(1)";
        QTest::newRow("a buffer that is used before") << "b = self.b\n    c = x + b\n    b.add_(1)\n    b = 1";
        QTest::newRow("a constant of it") << "b = self.b\n    b.add_(1)\n    b = b * 2";
        QTest::newRow("in a module that is called")
            << "m = getattr(self.layer1, \"0\").conv.mean\n    m.add_(1)\n    b = getattr(self.layer1, \"0\").conv(x)";
    }
    void writesAtLoad_thatOthersSee_areShownAsTheyAreWritten() {
        QFETCH(QString, code);
        fx::GraphModule module = sampleModule();
        module.root->children[0].module->children[0].module->children[0].module->buffers.push_back(
            {"mean", tensor({4}, false)});
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    " + code + "\n    return x + b\n    ").toStdString());
        const std::string text = fx::graphText(module.graph);
        const auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
        QVERIFY2(has("target=add_]") || has("target=fill_]") || has("out: "), text.c_str());
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY(!module.notLoadable);
    }
    void tensorOfTheModel_thatIsWrittenToAtLoadAndNotUsed_isTold() {
        fx::GraphModule module;
        QCOMPARE(retraced("b = self.b\n    torch.ops.aten.add_.Tensor(b, 1)\n    b.mul_(2)\n    return x", &module),
                 lines({"%x : [num_users=1] = placeholder[target=x]", "return x"}));
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY(module.warnings[0].what.text().starts_with("PyTorch changes self.b while it loads the file"));
    }
    void sizesOfConstants_thatNobodyCanCount_areNotMadeUp_data() {
        QTest::addColumn<QString>("constant");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* constant, const char* why) { QTest::newRow(constant) << constant << why; };
        row("torch.zeros(20000).chunk(20000)[0]", "chunk gives 20000 tensors, more than 10000");
        row("torch.zeros(20000).split(1)[0]", "split gives 20000 tensors");
        row("torch.zeros(20000).unbind()[0]", "unbind gives 20000 tensors");
        row("torch.zeros(3).repeat(9223372036854775807, 9)", "size of torch.");
        row("torch.zeros(9223372036854775807, 2)", "size of torch.");
        row("torch.zeros(0, 9223372036854775807, 2)", "size of torch.");
        row("torch.zeros(4611686018427387904, 4).reshape(-1, 2)", "size of torch.");
        row("torch.zeros(4).view(9223372036854775807, 2, -1)", "size of torch.");
        row("torch.arange(1e300)", "size of torch.");
        constexpr const char* kLarge = "torch.cat([torch.zeros(2305843009213693951), torch.zeros(2305843009213693951), "
                                       "torch.zeros(2305843009213693951), torch.zeros(2305843009213693951), "
                                       "torch.zeros(2305843009213693951)])";
        row(kLarge, "size of torch.");
    }
    void sizesOfConstants_thatNobodyCanCount_areNotMadeUp() {
        QFETCH(QString, constant);
        QFETCH(QString, why);
        fx::GraphModule module;
        retraced("a = " + constant + "\n    return x.view(a.shape[0])", &module);
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY2(module.warnings[0].what.is("trace.partly_unknown"), module.warnings[0].what.text().c_str());
        QVERIFY2(module.warnings[0].what.argument("reason").find(why.toStdString()) != std::string::npos,
                 module.warnings[0].what.text().c_str());
    }
    void partsOfConstants_largeSteps_areWhatTheyAreInPyTorch() {
        const auto parts = [](const char* cut) {
            const QString graph =
                retraced(QString("a = torch.zeros(7).") + cut + "\n    return x.view(a[0].shape[0], a[-1].shape[0])");
            return graph.section("(args = (%x, ", 1).section(")", 0, 0);
        };
        QCOMPARE(parts("split(9223372036854775807)"), QString("7, 7"));
        QCOMPARE(parts("chunk(9223372036854775807)"), QString("1, 1"));
        QCOMPARE(parts("split(4)"), QString("4, 3"));
        QCOMPARE(parts("chunk(3)"), QString("3, 1"));
    }
    void constantThatDoublesWithEachLine_isShownAsItIsWritten() {
        QString code = "a = torch.ones(2)\n    ";
        for (int i = 0; i < 40; ++i) code += "a = torch.add(a, a)\n    ";
        fx::GraphModule module;
        QCOMPARE(retraced(code + "return x * a", &module).count("torch.add"), 40);
        QVERIFY(!module.warnings.empty());
        QVERIFY(!module.notLoadable);
    }
    void constant_thatIsABufferItself_isReadUnderItsName_data() {
        QTest::addColumn<QString>("code");
        for (const char* code :
             {"self.b.contiguous()", "self.b.contiguous(memory_format = torch.contiguous_format)",
              "self.b.to(torch.float32)", "self.b.to()", "self.b.to(torch.float32, True)",
              "self.b.to('cpu', torch.float32, False, False)", "torch.as_tensor(self.b)", "self.b.type(torch.float32)",
              "self.b.float()", "self.b.real", "torch.real(self.b)", "self.b.resolve_neg()", "self.b.detach_()",
              "torch.conj_physical(self.b)", "torch.nn.functional.alpha_dropout(self.b, 0.5)",
              "torch.feature_dropout(self.b, 0.5, False)", "torch.nn.functional.dropout2d(self.b, 0.5, False)",
              "torch.ops.aten.dropout.default(self.b, 0.5, False)", "self.b.flatten(1, 1)"})
            QTest::newRow(code) << code;
    }
    void constant_thatIsABufferItself_isReadUnderItsName() {
        QFETCH(QString, code);
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY(module.warnings.empty());
        QVERIFY2(fx::graphText(module.graph).find("get_attr[target=b]") != std::string::npos,
                 fx::graphText(module.graph).c_str());
    }
    void constant_thatIsANewTensor_isAConstant_data() {
        QTest::addColumn<QString>("code");
        for (const char* code :
             {"self.b.to(torch.float32, copy = True)", "self.b.to(torch.float32, False, True)", "self.b.double()",
              "self.b.detach()", "self.b.flatten()", "self.b.T.contiguous()",
              "torch.nn.functional.dropout(self.b, 0.5)", "torch.nn.functional.dropout2d(self.b, 0.5)",
              "torch.nn.functional.dropout1d(self.b, 0.5, False)",
              "torch.nn.functional.dropout3d(self.b, training = False)", "torch.atleast_3d(self.b)",
              "self.b.view(3, 4)", "torch.ops.aten.detach_.default(torch.ops.aten.lift_fresh_copy.default(self.b))"})
            QTest::newRow(code) << code;
    }
    void constant_thatIsANewTensor_isAConstant() {
        QFETCH(QString, code);
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY2(fx::graphText(module.graph).find("get_attr[target=_tensor_constant0]") != std::string::npos,
                 fx::graphText(module.graph).c_str());
    }
    void strides_ofViews_areNotGuessed() {
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             "\n\n\ndef forward(self, x):\n    return x + self.b.T.stride()[0]\n    ");
        QVERIFY(!module.warnings.empty()); // kept as it is written
        QVERIFY(fx::graphText(module.graph).find("(%x, 3)") == std::string::npos);
    }
    void codeThatCannotBeLoaded_readsModulesByNumber() {
        fx::GraphModule module;
        QCOMPARE(retraced("w = getattr(self.layer1, \"0\").conv.weight\n    a = torch.add(x, w)\n    a[0] = 1\n    b = "
                          "len(a)\n    return b",
                          &module)
                     .section('\n', 1, 1),
                 QString("%w : [num_users=1] = get_attr[target=layer1.0.conv.weight]"));
        QVERIFY(module.notLoadable);
    }
    void namesOfExpressions_keywordsAreNone() {
        using Names = std::set<std::string>;
        const auto found = fx::py::namesIn(
            "torch.ops.aten.add.Tensor(self=getattr(self.layers, '0').pos, other=self.k.T, device=device(type='cpu'))");
        QVERIFY(found.reads == Names({"k.T", "layers.0.pos"}));
        QVERIFY(found.names == Names({"device", "torch"}));
        QVERIFY(fx::py::namesIn("torch.ops.aten.neg.default(self=torch.ones(2))").reads.empty());
        QCOMPARE(fx::py::seenFromAbove("torch.add(self=self.b, other=getattr(self, '0'))", "a.1"),
                 std::string("torch.add(self=getattr(self.a, '1').b, other=getattr(getattr(self.a, '1'), '0'))"));
        QCOMPARE(fx::py::readText("a.0.b"), std::string("getattr(self.a, '0').b"));
    }
    void plainTensor_thatIsRead_becomesBuffer() {
        fx::GraphModule module;
        retraced("t = self.t\n    a = torch.mul(x, t)\n    return a", &module);
        QVERIFY(module.root->buffer("t"));
        QVERIFY(!module.root->attribute("t"));
    }
    void signature_everyForm_makesPlaceholders() {
        QCOMPARE(retraced("input_1 = input\n    _args = args\n    return (input_1, _args, kw)", nullptr,
                          "input : typing_List[torch.Tensor], k = 1.5, *args, **kw"),
                 lines({"%input_1 : typing.List[torch.Tensor] [num_users=1] = placeholder[target=input]",
                        "%k : [num_users=0] = placeholder[target=k](default=1.5)",
                        "%_args : [num_users=1] = placeholder[target=*args]",
                        "%_kw : [num_users=1] = placeholder[target=**kw]", "return (input_1, _args, _kw)"}));
    }
    void indentation_thatPythonRefuses_isRefused_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("what");
        QTest::newRow("deeper") << "a = x + 1\n        b = a\n    return x"
                                << "unexpected indent";
        QTest::newRow("after a value that is freed") << "a = x;  x = None\n     return a"
                                                     << "unexpected indent";
        QTest::newRow("less deep") << "a = x + 1\n  return a"
                                   << "unindent does not match";
        QTest::newRow("after the return") << "return x\n      a = 1"
                                          << "unexpected indent";
    }
    void indentation_thatPythonRefuses_isRefused() {
        QFETCH(QString, body);
        QFETCH(QString, what);
        try {
            retraced(body);
            QFAIL("expected an error");
        } catch (const fx::Error& error) { QVERIFY2(QString(error.what()).contains(what), error.what()); }
    }
    void wrapLine_marksCalls() {
        fx::GraphModule module = sampleModule();
        const std::string code = "\ntorch.fx._symbolic_trace.wrap(\"mine_helper\")\n\ndef forward(self, x):\n    a = "
                                 "mine_helper(x, 2)\n    b = math_sqrt(a)\n    return b\n    ";
        fx::retraceSavedCode(module, kImports, code);
        const auto helper = module.graph.find("helper"), sqrt = module.graph.find("sqrt");
        QVERIFY(helper != fx::kNoNode);
        QVERIFY(module.graph.node(helper).meta().wrapped);
        QVERIFY(sqrt != fx::kNoNode);
        QVERIFY(module.graph.node(sqrt).meta().wrapped);
        QVERIFY(module.warnings.empty());
    }
    void sharedText_countsForEachNode() {
        QString body = "a = 'x'\n";
        for (int i = 0; i < 24; ++i) body += "    a = a + a\n";
        for (int i = 0; i < 100; ++i) body += "    x = x.foo(a)\n";
        try {
            retraced(body + "    return x");
            QFAIL("expected a refusal");
        } catch (const fx::Error& error) {
            QVERIFY(error.kind() == fx::ErrorKind::File);
            QVERIFY2(QString(error.what()).contains("the values of the source need more than"), error.what());
        }
    }
    void copiedList_looksAtStopRequests() {
        std::stop_source stop;
        stop.request_stop();
        fx::GraphModule module = sampleModule();
        const std::string code = "def forward(self, x):\n    a = [1] * 131072\n    return x.foo(a)\n";
        try {
            fx::retraceSavedCode(module, kImports, code, fx::Progress(stop.get_token()));
            QFAIL("expected Cancelled");
        } catch (const fx::Error& error) { QVERIFY(error.kind() == fx::ErrorKind::Cancelled); }
    }
    void unknownFunction_isKeptWithWarning() {
        fx::GraphModule module;
        QVERIFY(retraced("a = mine_helper(x, 2)\n    return a", &module)
                    .contains("call_function[target=mine.helper](args = (%x, 2)"));
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QCOMPARE(module.warnings[0].node, std::string("helper"));
        QCOMPARE(module.warnings[0].where, std::string("line 5"));
    }
    void codeThatPythonCannotLoad_isShownAsWritten_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("node");
        QTest::newRow("item assignment")
            << QString("y = torch.relu(x)\n    y[0] = 5.0;  put = y;  put = None\n    return y")
            << QString(
                   "%put : [num_users=0] = call_function[target=operator.setitem](args = (%y, 0, 5.0), kwargs = {})");
        QTest::newRow("not")
            << QString("y = _operator_not_(x);  x = None\n    return y")
            << QString("%y : [num_users=1] = call_function[target=operator.not_](args = (%x,), kwargs = {})");
        QTest::newRow("missing module")
            << QString("y = self.nope.a(x)\n    return y")
            << QString("%y : [num_users=1] = call_module[target=nope.a](args = (%x,), kwargs = {})");
        QTest::newRow("the module for a tensor")
            << QString("y = torch.neg(self)\n    return y")
            << QString("%y : [num_users=1] = call_function[target=torch.neg](args = (%");
        QTest::newRow("a proxy's own method")
            << QString("y = x.__getitem__;  x = None\n    return [y]")
            << QString("%y : [num_users=1] = call_function[target=builtins.getattr](args = (%x, __getitem__), kwargs = "
                       "{})");
        QTest::newRow("a traced size after a number in an operator's list")
            << QString(
                   "n = x.size(0);  x = None\n    y = torch.ops.aten.zeros.default([4, n]);  n = None\n    return y")
            << QString("%y : [num_users=1] = call_function[target=torch.ops.aten.zeros.default](args = ([4, %n],), "
                       "kwargs = {})");
        QTest::newRow("bytes") << QString("y = x.foo(b'a')\n    return y")
                               << QString(
                                      "%y : [num_users=1] = call_method[target=foo](args = (%x, b'a'), kwargs = {})");
        QTest::newRow("missing attribute")
            << QString("y = self.nope\n    return y") << QString("%y : [num_users=1] = get_attr[target=nope]");
    }
    void codeThatPythonCannotLoad_isShownAsWritten() {
        QFETCH(QString, body);
        QFETCH(QString, node);
        fx::GraphModule module;
        const QString graph = retraced(body, &module);
        QVERIFY2(graph.contains(node), qPrintable(graph));
        QVERIFY(module.notLoadable);
        QCOMPARE(module.warnings.size(), std::size_t{1});
    }
    void onlyInputs_opensWithWarning() {
        fx::GraphModule module;
        QCOMPARE(retraced("", &module), QString("%x : [num_users=0] = placeholder[target=x]"));
        QVERIFY(module.notLoadable);
    }
    void controlFlow_isRefusedWithLine() {
        try {
            retraced("y = torch.relu(x)\n    if y:\n        return x\n    return y");
            QFAIL("must throw");
        } catch (const fx::Error& error) {
            QCOMPARE(error.kind(), fx::ErrorKind::File);
            QVERIFY(error.where.starts_with("line 6"));
            QCOMPARE(error.source, std::string("    if y:"));
        }
    }
    void doublingTuples_areRefusedInTime() {
        QString body = "y = (x, x)";
        for (int i = 0; i < 100; ++i) body += "\n    y = (y, y)";
        QVERIFY_THROWS_EXCEPTION(fx::Error, retraced(body + "\n    return y"));
    }

    /// GraphModules of one file: what the first has used, the next lacks.
    void allowance_ofTheFile_isOneForAll() {
        std::string code = "\n\n\ndef forward(self, x):\n";
        for (int i = 0; i < 100; ++i) code += "    y = 'a' * 900000\n";
        code += "    return x\n";
        fx::trace::Allowance allowance;
        const fx::trace::Spending spending(allowance);
        const auto outcome = [&]() -> std::string {
            fx::GraphModule module = sampleModule();
            try {
                fx::retraceSavedCode(module, kImports, code);
                return "followed";
            } catch (const fx::Error& error) { return error.message().code(); }
        };
        QCOMPARE(outcome(), std::string("followed"));
        std::string last;
        for (int i = 0; i < 60 && (last = outcome()) == "followed"; ++i) {}
        QVERIFY2(last == "trace.too_much_memory", last.c_str());
    }
};

QTEST_APPLESS_MAIN(TestRetrace)
#include "tst_retrace.moc"
