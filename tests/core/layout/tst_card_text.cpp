// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/card_text.h"

#include "core/trace/callables.h"

#include <QTest>

using namespace fx;

namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }
Argument tuple(std::vector<Argument> items) { return Argument::tuple(std::move(items)); }
Argument list(std::vector<Argument> items) { return Argument::list(std::move(items)); }

} // namespace

/// What the cards of nodes of all kinds say.
class TestCardText : public QObject {
    Q_OBJECT

    std::shared_ptr<GraphModule> m_module;
    NodeId m_x{}, m_y{};

    CardText card(NodeId id, std::string_view box = {}) const {
        return CardTexts(*m_module).of(m_module->graph.node(id), box);
    }
    QString what(NodeId id, std::string_view box = {}) const { return text(card(id, box).what); }
    NodeId function(const char* name, std::vector<Argument> args, Kwargs kwargs = {}) {
        return m_module->graph.callFunction(resolveCallable(name), std::move(args), std::move(kwargs));
    }
    NodeId method(const char* name, std::vector<Argument> args, Kwargs kwargs = {}) {
        return m_module->graph.createNode(Op::CallMethod, name, std::move(args), std::move(kwargs));
    }
    NodeId module(const char* path, const char* classModule, const char* className,
                  std::vector<std::pair<std::string, std::variant<Argument, TensorPtr>>> attributes) {
        const auto made = std::make_shared<Module>();
        made->classModule = classModule, made->className = className;
        made->attributes = std::move(attributes);
        m_module->root->children.push_back({path, made});
        return m_module->graph.createNode(Op::CallModule, path, {m_x});
    }

private Q_SLOTS:
    void init() {
        m_module = std::make_shared<GraphModule>();
        m_x = m_module->graph.placeholder("x"), m_y = m_module->graph.placeholder("y");
    }

    void fusedLayer_isWhatItReplaced() {
        const auto fused = std::make_shared<Module>();
        fused->className = "GraphModule";
        fused->attributes = {{"onednn_kernel", Argument("onednn")}};
        auto inner = std::make_shared<GraphModule>();
        const NodeId x = inner->graph.placeholder("x");
        const NodeId conv = inner->graph.callFunction(resolveCallable("torch.conv2d"), {x});
        inner->graph.output(inner->graph.callFunction(resolveCallable("torch.relu"), {conv}));
        fused->graphModule = inner;
        m_module->root->children.push_back({"fused", fused});
        QCOMPARE(what(m_module->graph.createNode(Op::CallModule, "fused", {m_x})), "conv2d + relu in oneDNN");
    }

    void operators_ofPython_areExpressions() {
        QCOMPARE(what(function("_operator.add", {m_x, 1})), "x + 1");
        QCOMPARE(what(function("_operator.truediv", {m_x, m_y})), "x / y");
        QCOMPARE(what(function("_operator.neg", {m_x})), "-x");
        QCOMPARE(what(function("_operator.iadd", {m_x, m_y})), "x += y");
        QCOMPARE(what(function("_operator.getitem", {m_x, 0})), "x[0]");
        const Argument all = Argument::slice({}, {}, {}), part = Argument::slice(1, -1, 2);
        QCOMPARE(what(function("_operator.getitem", {m_x, tuple({all, 0, part, Argument(EllipsisValue())})})),
                 "x[:, 0, 1:-1:2, ...]");
        QCOMPARE(what(function("_operator.setitem", {m_x, 0, m_y})), "x[0] = y");
        QCOMPARE(what(function("builtins.getattr", {m_x, "shape"})), "x.shape");
    }
    void operands_insideABox_loseItsPrefix() {
        m_module->graph.rename(m_x, "layer1_0_bn2");
        const NodeId add = function("_operator.add", {m_x, m_y});
        QCOMPARE(what(add, "layer1.0"), "bn2 + y");
        QCOMPARE(what(add), "layer1_0_bn2 + y");
    }

    void functions_haveShortNamesAndTellingConstants() {
        QCOMPARE(what(function("torch.relu", {m_x})), "relu");
        QCOMPARE(what(function("torch.nn.functional.relu6", {m_x}, {{"inplace", false}})), "relu6");
        QCOMPARE(what(function("torch.nn.functional.gelu", {m_x}, {{"approximate", "tanh"}})),
                 "gelu(approximate='tanh')");
        QCOMPARE(what(function("torch.flatten", {m_x, 1})), "flatten(1)");
        QCOMPARE(what(function("torch.cat", {list({m_x, m_y})}, {{"dim", 1}})), "cat(dim=1)");
        QCOMPARE(
            what(function("torch.nn.functional.dropout", {m_x}, {{"p", 0.1}, {"training", false}, {"inplace", false}})),
            "dropout(p=0.1, training=False)");
        QCOMPARE(what(function("torch.zeros", {2, 3}, {{"device", "cpu"}, {"dtype", Argument::dtype("torch.int64")}})),
                 "zeros(2, 3, dtype=int64)");
        QCOMPARE(what(function("math.sqrt", {m_x})), "sqrt");
    }
    void operators_ofAten_keepTheirNamespaceAndLoseTheOverload() {
        QCOMPARE(what(function("torch.ops.aten.addmm.default", {m_x, m_y, m_x})), "aten.addmm");
        QCOMPARE(what(function("torch.ops.aten.mean.dim", {m_x, list({-1, -2}), false})), "aten.mean(-1, -2)");
        QCOMPARE(what(function("torch.ops.aten.relu.default", {m_x})), "aten.relu");
        QCOMPARE(what(function("torch.ops.aten.conv2d.default", {m_x, m_y, m_x, list({1, 1}), list({2, 2})})),
                 "aten.conv2d(padding=[2, 2])");
        QCOMPARE(what(function("torch.ops.aten.slice.Tensor", {m_x, 1, 0, std::int64_t{0x7fffffffffffffff}})),
                 "aten.slice(1, 0, end)");
        QCOMPARE(what(function("torch.ops.aten.layer_norm.default", {m_x, list({64}), m_y, m_y})),
                 "aten.layer_norm(64)");
    }
    void methods_haveTheirArguments() {
        QCOMPARE(what(method("view", {m_x, 4, -1})), "view(4, -1)");
        QCOMPARE(what(method("view", {m_x, m_y, -1})), "view(y, -1)");
        QCOMPARE(what(method("mean", {m_x, tuple({2, 3})}, {{"keepdim", true}})), "mean((2, 3), keepdim=True)");
        QCOMPARE(what(method("mean", {m_x, tuple({tuple({2}), 3})})), "mean((2,), 3)");
        QCOMPARE(what(method("add", {m_x, m_y})), "add");
        QCOMPARE(what(method("contiguous", {m_x})), "contiguous");
    }

    void modules_haveClassAndSettings() {
        const Argument three = tuple({3, 3}), two = tuple({2, 2}), one = tuple({1, 1});
        QCOMPARE(what(module("a", "torch.nn.modules.conv", "Conv2d",
                             {{"in_channels", Argument(3)},
                              {"out_channels", Argument(32)},
                              {"kernel_size", three},
                              {"stride", two},
                              {"padding", one},
                              {"dilation", one},
                              {"groups", Argument(1)}})),
                 "Conv2d 3→32 3×3 /2");
        QCOMPARE(what(module("b", "torch.nn.modules.activation", "ReLU", {{"inplace", Argument(true)}})), "ReLU");
        QCOMPARE(what(module("c", "mine.layers", "Block", {{"width", Argument(3)}})), "Block");
        QCOMPARE(what(m_module->graph.createNode(Op::CallModule, "gone", {m_x})), "self.gone");
    }
    void getAttr_saysWhatThePathLeadsTo() {
        const auto tensor = std::make_shared<TensorRef>();
        tensor->sizes = {1000, 512};
        const auto layer = std::make_shared<Module>();
        layer->className = "Linear";
        layer->parameters = {{"weight", tensor}};
        layer->buffers = {{"mask", tensor}};
        m_module->root->children = {{"fc", layer}};
        m_module->root->attributes = {{"scale", Argument(0.5)}};
        const auto get = [&](const char* path) { return m_module->graph.createNode(Op::GetAttr, path); };
        QCOMPARE(what(get("fc.weight")), "Parameter 1000×512");
        QCOMPARE(text(card(m_module->graph.find("fc_weight")).side), "2.0 MB");
        QCOMPARE(what(get("fc.mask")), "Buffer 1000×512");
        QCOMPARE(what(get("fc")), "Linear");
        QCOMPARE(what(get("scale")), "0.5");
        QCOMPARE(what(get("no.where")), "self.no.where");
        const NodeId lifted = m_module->graph.placeholder("p_fc_weight");
        m_module->lifted = {{lifted, LiftedInput::Kind::Parameter, "fc.weight"}};
        QCOMPARE(what(lifted), "Parameter 1000×512");
    }
    void inputsAndOutputs_sayWhatTheyAre() {
        QCOMPARE(what(m_x), "Input");
        QCOMPARE(what(m_module->graph.placeholder("mask", {Argument()})), "Input = None");
        NodeMeta meta;
        meta.values = {{"torch.int64", {"2", "s0"}, {}, "cpu", true, false}};
        m_module->graph.setMeta(m_y, std::make_shared<const NodeMeta>(meta));
        QCOMPARE(what(m_y), "Input int64");
        QCOMPARE(text(card(m_y).side), "2×s0");
        QCOMPARE(what(m_module->graph.output(tuple({m_x, Argument::dict({{"y", m_y}})}))), "return (x, {'y': y})");
    }

    void brief_isWhatItDoesAlone() {
        const auto brief = [&](NodeId id) {
            const CardText made = card(id);
            return text(made.what.substr(0, made.brief));
        };
        QCOMPARE(brief(function("torch.nn.functional.gelu", {m_x}, {{"approximate", "tanh"}})), "gelu");
        QCOMPARE(brief(module("a", "torch.nn.modules.dropout", "Dropout", {{"p", Argument(0.5)}})), "Dropout");
        QCOMPARE(brief(function("_operator.add", {m_x, 1})), "x + 1");
        QCOMPARE(brief(method("view", {m_x, 4, -1})), "view");
        QCOMPARE(brief(m_module->graph.placeholder("mask", {Argument()})), "Input");
        m_module->root->attributes = {{"sizes", list({1, 2})}};
        QCOMPARE(brief(m_module->graph.createNode(Op::GetAttr, "sizes")), "[1, 2]");
    }
    void longArguments_areCut() {
        std::vector<Argument> many(5000, Argument(7));
        const std::string cut = card(method("view", {m_x, list(std::move(many))})).what;
        QVERIFY(cut.size() < 100);
        QVERIFY(cut.ends_with("…)"));
        Argument deep = list({1});
        for (int i = 0; i < 150; ++i) deep = list({deep, m_x});
        QVERIFY(card(function("torch.cat", {deep})).what.size() < 200);
    }

    void nameInside_aBox_losesThePrefixOfIt_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("box");
        QTest::addColumn<QString>("inside");
        QTest::newRow("in its box") << "layer1_0_conv1"
                                    << "layer1.0"
                                    << "conv1";
        QTest::newRow("in no box") << "layer1_0_conv1"
                                   << ""
                                   << "layer1_0_conv1";
        QTest::newRow("in another box") << "layer1_0_conv1"
                                        << "layer1.1"
                                        << "layer1_0_conv1";
        QTest::newRow("a longer word") << "layer10_conv"
                                       << "layer1"
                                       << "layer10_conv";
        QTest::newRow("the box itself") << "layer1_0"
                                        << "layer1.0"
                                        << "layer1_0";
        QTest::newRow("nothing left") << "layer1_0_"
                                      << "layer1.0"
                                      << "layer1_0_";
    }
    void nameInside_aBox_losesThePrefixOfIt() {
        QFETCH(QString, name);
        QFETCH(QString, box);
        QFETCH(QString, inside);
        QCOMPARE(text(CardTexts::nameInside(name.toStdString(), box.toStdString())), inside);
    }

    void family_ofAllSpellings_isOne_data() {
        QTest::addColumn<ops::Family>("family");
        using ops::Family;
        for (const char* name : {"torch.relu", "torch.nn.functional.relu", "torch.ops.aten.relu_.default",
                                 "torch.nn.functional.leaky_relu", "torch.ops.aten._softmax.default"})
            QTest::newRow(name) << Family::Activation;
        QTest::newRow("torch.ops.aten.convolution.default") << Family::Convolution;
        QTest::newRow("torch.nn.functional.conv_transpose2d") << Family::Convolution;
        QTest::newRow("torch.nn.functional.linear") << Family::Matrix;
        QTest::newRow("_operator.matmul") << Family::Matrix;
        QTest::newRow("torch.ops.aten.native_layer_norm.default") << Family::Normalization;
        QTest::newRow("torch.nn.functional.batch_norm") << Family::Normalization;
        QTest::newRow("torch.nn.functional.max_pool2d") << Family::Pooling;
        QTest::newRow("torch.ops.aten.mean.dim") << Family::Reduction;
        QTest::newRow("torch.ops.aten.view.default") << Family::Shape;
        QTest::newRow("_operator.getitem") << Family::Shape;
        QTest::newRow("torch.nn.functional.embedding") << Family::Lookup;
        QTest::newRow("torch.nn.functional.scaled_dot_product_attention") << Family::Attention;
        QTest::newRow("_operator.add") << Family::Arithmetic;
        QTest::newRow("torch.nn.functional.dropout") << Family::Dropout;
        QTest::newRow("mine.special") << Family::Other;
    }
    void family_ofAllSpellings_isOne() {
        QFETCH(ops::Family, family);
        QCOMPARE(int(card(function(QTest::currentDataTag(), {m_x, m_y})).family), int(family));
    }
    void family_ofModules_isThatOfTheirPackage() {
        using ops::Family;
        QCOMPARE(ops::familyOfModule("torch.nn.modules.conv.ConvTranspose1d"), Family::Convolution);
        QCOMPARE(ops::familyOfModule("torch.nn.modules.activation.MultiheadAttention"), Family::Attention);
        QCOMPARE(ops::familyOfModule("torch.nn.modules.linear.Identity"), Family::Other);
        QCOMPARE(ops::familyOfModule("torch.utils.mkldnn.MkldnnConv2d"), Family::Convolution);
        QCOMPARE(ops::familyOfModule("torch.utils.mkldnn.MkldnnBatchNorm"), Family::Normalization);
        QCOMPARE(ops::familyOfModule("torch.ao.nn.intrinsic.modules.fused.ConvReLU2d"), Family::Convolution);
        QCOMPARE(ops::familyOfModule("torch.ao.nn.quantized.modules.linear.Linear"), Family::Matrix);
        QCOMPARE(ops::familyOfModule("mine.conv.Conv2d"), Family::Other);
    }
};

QTEST_APPLESS_MAIN(TestCardText)
#include "tst_card_text.moc"
